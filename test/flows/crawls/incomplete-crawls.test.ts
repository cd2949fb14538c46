import test from 'ava';
import { contentsByPath, crawl } from '#test/support/harness/crawl-flow.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';

test('a page that only the sitemap lists stays synced while the sitemap fails, and is stale when it is no longer listed', async (t) => {
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a'), '/island': htmlPage('island') });
  t.teardown(site.close);
  const list = (...paths: string[]) => paths.map((path) => `${site.origin}${path}`).join('\n');
  site.pages.set('/sitemap.xml', list('/', '/island'));
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.like(first, { status: 'completed', progress: { total: 3, by_status: { ready: 3 } } });
  t.deepEqual(first.crawl.reasons, {});
  const island = async () => (await contentsByPath(flow, first, site.origin))['/island'];

  site.pages.set('/sitemap.xml', (response) => void response.writeHead(500).end());
  const failing = await crawl(flow, `${site.origin}/`);
  t.like(failing.crawl, { status: 'completed', pages: { unchanged: 2, skipped: 0 }, reasons: { sitemap: 1 } });
  t.like(await island(), { status: 'ready', sync_status: 'synced' });

  site.pages.set('/sitemap.xml', list('/'));
  t.deepEqual((await crawl(flow, `${site.origin}/`)).crawl.reasons, {});
  t.like(await island(), { status: 'ready', sync_status: 'stale' });
});

test('a crawl without a sitemap has seen the whole site', async (t) => {
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a') });
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.deepEqual(first.crawl.reasons, {});
  site.pages.set('/', htmlPage('start'));
  await crawl(flow, `${site.origin}/`);
  t.like((await contentsByPath(flow, first, site.origin))['/a'], { status: 'ready', sync_status: 'stale' });
});

test('a page that a crawl leaves out because its path has too many queries stays synced', async (t) => {
  const queries = Array.from({ length: 8 }, (_, index) => `/list?n=${index}`);
  const site = await startSite({ '/': htmlPage('start', queries.slice(0, 1)), '/list': htmlPage('list') });
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.like(first, { progress: { by_status: { ready: 2 } } });
  site.pages.set('/', htmlPage('start', queries.toReversed()));
  t.like((await crawl(flow, `${site.origin}/`)).crawl.pages, { fetched: 8, waiting: 0 });
  t.like((await contentsByPath(flow, first, site.origin))['/list'], { status: 'ready', sync_status: 'synced' });
});

test('a crawl that goes less deep leaves what was found further down to be compared by the next deep one', async (t) => {
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a', ['/b']), '/b': htmlPage('b') });
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.like(first, { progress: { by_status: { ready: 3 } } });
  const below = async () => (await contentsByPath(flow, first, site.origin))['/b']?.sync_status;
  site.pages.set('/a', htmlPage('a'));
  t.like((await crawl(flow, `${site.origin}/`, { max_depth: '1' })).crawl.pages, { fetched: 1, unchanged: 1 });
  t.is(await below(), 'synced');
  await crawl(flow, `${site.origin}/`);
  t.is(await below(), 'stale');
});

test('pages behind one that the site refuses stay synced until a second crawl in a row finds it refused, or gone', async (t) => {
  const site = await startSite({
    '/': htmlPage('start', ['/hub', '/secret']),
    '/hub': htmlPage('hub', ['/child']),
    '/child': htmlPage('child'),
    // A page that was never there to be read hides nothing.
    '/secret': (response) => void response.writeHead(401).end(),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.like(first, { progress: { by_status: { ready: 3, failed: 1 } } });
  const child = async () => (await contentsByPath(flow, first, site.origin))['/child']?.sync_status;
  const hub = htmlPage('hub', ['/child']);
  for (const [status, expected] of [
    [403, 'synced'],
    [403, 'stale'],
    [200, 'synced'],
    [403, 'synced'],
    [404, 'stale'],
  ] as const) {
    site.pages.set('/hub', status === 200 ? hub : (response) => void response.writeHead(status).end());
    await crawl(flow, `${site.origin}/`);
    t.is(await child(), expected, String(status));
  }
});
