import type { ServerResponse } from 'node:http';
import test from 'ava';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { contentsByPath, crawl, statusesOf } from '#test/support/harness/crawl-flow.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { htmlPage, startSite, type Site } from '#test/support/servers/site-server.ts';

/** Pages that show by ETag or by date whether they have changed, and pages that do not show it. */
const links = ['/tagged', '/dated', '/silent', '/changing', '/leaving', '/unlinked'];
const pageOf = (title: string) => htmlPage(title, ['/']);

async function startChangingSite(): Promise<Site> {
  const conditional = (tag: { header: string; value: string; asked: string }, body: string) => {
    return (response: ServerResponse, { headers }: { headers: Record<string, unknown> }) => {
      response.setHeader(tag.header, tag.value);
      if (headers[tag.asked] === tag.value) response.writeHead(304).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    };
  };
  const tagged = { header: 'etag', value: '"one"', asked: 'if-none-match' };
  const dated = { header: 'last-modified', value: 'Sat, 01 Aug 2026 10:00:00 GMT', asked: 'if-modified-since' };
  return startSite({
    '/': htmlPage('start', links),
    '/tagged': conditional(tagged, htmlPage('tagged', ['/behind'])),
    '/dated': conditional(dated, pageOf('dated')),
    '/silent': pageOf('silent'),
    '/changing': pageOf('the first state'),
    '/leaving': pageOf('leaving'),
    '/unlinked': pageOf('unlinked'),
    '/behind': pageOf('behind a page that has not changed'),
  });
}

test('a repeated crawl ingests changed pages, marks missing ones, and repeats no work', async (t) => {
  const site = await startChangingSite();
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.like(first, { status: 'completed', progress: { total: 8, by_status: { ready: 8 } } });
  const before = await contentsByPath(flow, first, site.origin);

  site.pages.set(
    '/',
    htmlPage(
      'start',
      links.filter((link) => link !== '/unlinked'),
    ),
  );
  site.pages.set('/changing', pageOf('the second state'));
  site.pages.delete('/leaving');
  const asked = site.requests.length;
  const second = await crawl(flow, `${site.origin}/`);
  t.like(second.crawl.pages, { fetched: 2, unchanged: 4, gone: 1, failed: 0, waiting: 0 });
  t.is(second.status, 'completed');
  const statuses = site.requests.slice(asked).map(({ path, status }) => `${path} ${status}`);
  t.true(statuses.includes('/tagged 304') && statuses.includes('/dated 304'), 'requested conditionally');
  t.true(statuses.includes('/behind 200'), 'links of an unchanged page are followed');
  t.is((await flow.progress(first.id)).progress.total, 8);

  const after = await contentsByPath(flow, { contents: [...first.contents] }, site.origin);
  for (const [path, content] of Object.entries(after)) t.is(content.id, before[path]?.id ?? '', path);
  t.like(after['/leaving'], { status: 'ready', sync_status: 'stale' });
  t.regex(after['/leaving']?.status_message ?? '', /site no longer has this page.*404.*stays/);
  t.like(after['/unlinked'], { status: 'ready', sync_status: 'stale' });
  t.regex(after['/unlinked']?.status_message ?? '', /did not find this page/);
  for (const path of ['/', '/tagged', '/dated', '/silent', '/changing', '/behind']) {
    t.like(after[path], { status: 'ready', sync_status: 'synced', status_message: null }, path);
  }
  for (const path of ['/tagged', '/silent']) t.is(after[path]?.updated_at, before[path]?.updated_at, path);
  const found = await flow.search('everything about the second state', { max_results: 1 });
  t.regex(found[0]?.content ?? '', /second state/);
  const left = await flow.search('everything about leaving', { max_results: 1 });
  t.is(left[0]?.source, `${site.origin}/leaving`, 'a missing page is not deleted');

  // A page that is back is synced again. A page that failed shows the error, and is synced when it is available again.
  site.pages.set('/leaving', pageOf('leaving'));
  site.pages.set('/', htmlPage('start', links));
  site.pages.set('/silent', (response) => void response.writeHead(500).end());
  const third = await crawl(flow, `${site.origin}/`);
  t.is(third.status, 'completed');
  t.like(third.crawl.pages, { failed: 1, gone: 0 });
  const back = await contentsByPath(flow, third, site.origin);
  t.like(back['/leaving'], { sync_status: 'synced', status_message: null });
  t.like(back['/unlinked'], { sync_status: 'synced', status_message: null });
  t.like(back['/silent'], { status: 'ready', sync_status: 'error' });
  site.pages.set('/silent', pageOf('silent'));
  const fourth = await crawl(flow, `${site.origin}/`);
  t.like((await contentsByPath(flow, fourth, site.origin))['/silent'], { sync_status: 'synced', status_message: null });
  t.deepEqual(Object.keys(statusesOf(fourth, site.origin)).length, 8);
});

test('a page that has not changed, but whose stored bytes are lost, is fetched again', async (t) => {
  const site = await startChangingSite();
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  const before = await contentsByPath(flow, first, site.origin);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const lost = await behind.query(
    `delete from blobs b using contents t where t.id = :id and b.workspace_id = t.workspace_id and b.sha256 = t.content_hash
     returning b.sha256`,
    { id: before['/tagged']?.id },
  );
  t.is(lost.length, 1);
  const asked = site.asked('/tagged');
  const second = await crawl(flow, `${site.origin}/`);
  t.like(second.crawl.pages, { fetched: 0, unchanged: 8, failed: 0 });
  t.is(site.asked('/tagged'), asked + 2, 'with conditions, and then without');
  const after = await contentsByPath(flow, second, site.origin);
  t.like(after['/tagged'], { id: before['/tagged']?.id ?? '', status: 'ready', sync_status: 'synced' });
  t.like((await crawl(flow, `${site.origin}/`)).crawl.pages, { unchanged: 8, failed: 0 });
  t.is(site.asked('/tagged'), asked + 3, 'the bytes are stored again');
});

test('a page that failed, or was missing, is compared with its last successful visit', async (t) => {
  const site = await startChangingSite();
  t.teardown(site.close);
  const tagged = site.pages.get('/tagged') ?? '';
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  for (const status of [403, 404]) {
    site.pages.set('/tagged', (response) => void response.writeHead(status).end());
    await crawl(flow, `${site.origin}/`);
    site.pages.set('/tagged', tagged);
    await crawl(flow, `${site.origin}/`);
    const answers = site.requests.filter(({ path }) => path === '/tagged').map((request) => request.status);
    t.deepEqual(answers.slice(-2), [status, 304]);
    t.like((await contentsByPath(flow, first, site.origin))['/tagged'], { status: 'ready', sync_status: 'synced' });
  }
});

test('a page whose bytes change on every visit is ingested again only when its text changes', async (t) => {
  let visits = 0;
  let says = 'the first state';
  const token = () => `<meta name="csrf" content="${(visits += 1)}"><script>const visit = ${visits}</script>`;
  const served = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(htmlPage(says, ['/'], token()));
  const site = await startSite({ '/': htmlPage('start', ['/tokens']), '/tokens': served });
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  const before = (await contentsByPath(flow, first, site.origin))['/tokens'];
  for (const time of ['second', 'third']) {
    const again = await crawl(flow, `${site.origin}/`);
    t.like(again.crawl.pages, { fetched: 0, unchanged: 2, failed: 0 }, time);
    const { content_hash, updated_at } = before ?? {};
    t.like((await contentsByPath(flow, again, site.origin))['/tokens'], { content_hash, updated_at }, time);
  }
  says = 'the second state';
  const changed = await crawl(flow, `${site.origin}/`);
  t.like(changed.crawl.pages, { fetched: 1, unchanged: 1 });
  const found = await flow.search('everything about the second state', { max_results: 1 });
  t.regex(found[0]?.content ?? '', /second state/);
  t.like((await crawl(flow, `${site.origin}/`)).crawl.pages, { fetched: 0, unchanged: 2 });
  t.true(visits >= 5);
});

test('a start page that stops redirecting, and the page to which it redirected, become two contents', async (t) => {
  const site = await startSite({
    '/': (response) => void response.writeHead(302, { location: '/docs/' }).end(),
    '/docs/': htmlPage('documents'),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  t.like((await crawl(flow, `${site.origin}/`)).crawl.pages, { fetched: 1 });
  site.pages.set('/', htmlPage('the front page', ['/docs/']));
  const second = await crawl(flow, `${site.origin}/`);
  t.like(second.crawl.pages, { fetched: 2, failed: 0 });
  t.deepEqual(statusesOf(second, site.origin), { '/': 'ready', '/docs/': 'ready' });
  const [front] = await flow.search('everything about the front page', { max_results: 1 });
  t.is(front?.source, `${site.origin}/`);
  const [documents] = await flow.search('everything about documents', { max_results: 1 });
  t.is(documents?.source, `${site.origin}/docs/`);
  t.like((await crawl(flow, `${site.origin}/`)).crawl.pages, { fetched: 0, unchanged: 2 });
});

test('two concurrent crawls of one site store each page once', async (t) => {
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
  const site = await startSite({
    '/': htmlPage('start', paths),
    '/other': htmlPage('another start', paths),
    ...Object.fromEntries(paths.map((path) => [path, htmlPage(`page ${path}`)])),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const both = await Promise.all(['/', '/other'].map((path) => crawl(flow, `${site.origin}${path}`)));
  // Every page links to the first one, so the second crawl finds it too.
  for (const [index, total] of [31, 32].entries()) {
    t.like(both[index], { status: 'completed', progress: { total, by_status: { ready: total } } });
  }
  const ids = new Set(both.flatMap(({ contents }) => contents.map(({ content_id }) => content_id)));
  t.is(ids.size, 32);
});
