import test from 'ava';
import { startFlow, until, type Flow } from '../support/flow.ts';
import { htmlPage, startSite } from '../support/site-server.ts';

/** Crawls from a URL and waits until nothing is under way. */
async function crawl(flow: Flow, url: string, fields: Readonly<Record<string, string>> = {}) {
  const { upload_id } = await flow.send(['urls', url], ['crawl', 'true'], ...Object.entries(fields));
  return until(
    () => flow.progress(upload_id),
    ({ status }) => status !== 'running',
  );
}

test('a crawl takes the page it starts from and what it links to, and each is found', async (t) => {
  const site = await startSite({
    '/': htmlPage('harbours', ['/tides', '/piers']),
    '/tides': htmlPage('tides', ['/', '/moon#top']),
    '/piers': htmlPage('piers'),
    '/moon': htmlPage('the moon'),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const done = await crawl(flow, `${site.origin}/`);
  t.like(done, { status: 'completed', progress: { total: 4, by_status: { ready: 4 } } });
  t.deepEqual(
    done.contents.map(({ name }) => name).toSorted(),
    ['/', '/moon', '/piers', '/tides'].map((path) => site.origin + path),
  );
  const [found] = await flow.search('everything about the moon', { max_results: 1 });
  t.is(found?.source, `${site.origin}/moon`);
});
