import test from 'ava';
import { contentsByPath, crawl } from '#test/support/harness/crawl-flow.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';

const file = (text: string, name = 'file.txt') => ['file', new File([text], name)] as const;
const metadata = (value: Record<string, unknown>) => ['metadata', JSON.stringify(value)] as const;
const stored = { a: 1, lang: 'en' };
const user = ['user_id', 'zoe'] as const;

test('an upload with only a user_id or label adds it to the metadata of contents that exist', async (t) => {
  const flow = await startFlow();
  const [same] = idsOf(await flow.upload(file('Onyx is banded.'), metadata(stored)));
  await flow.upload(file('Onyx is banded.'), user);
  t.deepEqual((await flow.content(same)).metadata, { ...stored, user_id: 'zoe' });

  const items = ['items', '[{"external_id":"agate"}]'] as const;
  const [replaced] = idsOf(await flow.upload(file('Agate is onyx.'), items, metadata(stored)));
  const second = await flow.upload(file('Agate is onyx, too.'), items, user);
  t.like(second.uploads[0], { content_id: replaced, replaced: true });
  t.deepEqual((await flow.content(replaced)).metadata, { ...stored, external_id: 'agate', user_id: 'zoe' });

  await flow.upload(file('Onyx is banded.'), file('Sard is brown.', 'sard.txt'), ['label', 'Stones'], metadata({}));
  t.deepEqual((await flow.content(same)).metadata, { ...stored, user_id: 'zoe', label: 'Stones' });

  const search = (filters: Record<string, string>) => flow.search('onyx', { filters });
  await until(
    () => search({ user_id: 'zoe' }),
    ({ length }) => length === 2,
  );
  t.is((await search({ lang: 'en' })).length, 2);
});

test('a URL and the pages of a crawl that are sent again with only a user_id keep their metadata', async (t) => {
  const flow = await startFlow();
  // Nothing listens at this port: metadata does not depend on the download.
  const url = ['urls', `http://${DOWNLOAD_ADDRESS}:9/onyx`] as const;
  const [id] = idsOf(await flow.upload(url, metadata(stored)));
  await flow.upload(url, user);
  t.deepEqual((await flow.content(id)).metadata, { ...stored, user_id: 'zoe' });

  const site = await startSite({ '/': htmlPage('start', ['/onyx']), '/onyx': htmlPage('onyx', []) });
  t.teardown(site.close);
  await crawl(flow, `${site.origin}/`, { metadata: JSON.stringify(stored) });
  site.pages.set('/onyx', htmlPage('onyx and agate', []));
  const again = await crawl(flow, `${site.origin}/`, { user_id: 'zoe' });
  const pages = await contentsByPath(flow, again, site.origin);
  t.deepEqual(pages['/onyx']?.metadata, { ...stored, user_id: 'zoe' });
});

test('user_id and label of the form have precedence over keys of the metadata, which others may have written', async (t) => {
  const flow = await startFlow();
  const form = [metadata({ user_id: 'ada', label: 'Mine' }), user, ['label', 'Stones']] as const;
  const { uploads } = await flow.upload(file('Jade.'), file('Opal.', 'opal.txt'), ...form);
  for (const { content_id } of uploads) {
    t.deepEqual((await flow.content(content_id)).metadata, { user_id: 'zoe', label: 'Stones' });
  }
});
