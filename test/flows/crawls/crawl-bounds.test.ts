import test from 'ava';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { crawl, statusesOf } from '#test/support/harness/crawl-flow.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { htmlPage, startSite, type SitePage } from '#test/support/servers/site-server.ts';
import { testStack } from '#test/support/harness/stack.ts';

const redirectsForever: SitePage = (response, { url }) => void response.writeHead(302, { location: `${url}?on` }).end();

test('nested sitemaps do not use up the page limit', async (t) => {
  const names = Array.from({ length: 60 }, (_, index) => `/maps/${index}`);
  const index: SitePage = (response, { headers, url }) => {
    const others = names.map((_, other) => `<sitemap><loc>http://${headers.host}${url}/${other}</loc></sitemap>`);
    response.end(`<sitemapindex>${others.join('')}</sitemapindex>`);
  };
  const site = await startSite({
    '/': htmlPage('start', ['/a', '/b', '/c']),
    ...Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, htmlPage(path)])),
    ...Object.fromEntries(names.map((name) => [name, index])),
    '/robots.txt': (response, { headers }) =>
      void response.end(names.map((name) => `Sitemap: http://${headers.host}${name}`).join('\n')),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const done = await crawl(flow, `${site.origin}/`, { max_pages: '4' });
  t.like(done, { status: 'completed', progress: { total: 4, by_status: { ready: 4 } } });
  const asked = site.requests.filter(({ path }) => path.startsWith('/maps/'));
  t.true(asked.length >= 20 && asked.length <= 25, `${asked.length} sitemaps`);
});

test('a redirected robots.txt is followed, and one that redirects without end counts as missing', async (t) => {
  const pages = { '/': htmlPage('start', ['/a', '/secret']), '/a': htmlPage('a'), '/secret': htmlPage('secret') };
  const moved = await startSite({
    ...pages,
    '/robots.txt': (response) => void response.writeHead(301, { location: '/rules' }).end(),
    '/rules': (response) => void response.end('User-agent: *\nDisallow: /secret'),
  });
  t.teardown(moved.close);
  const moving = await startSite({ ...pages, '/robots.txt': redirectsForever });
  t.teardown(moving.close);
  const flow = await startFlow();
  const kept = await crawl(flow, `${moved.origin}/`);
  t.deepEqual(statusesOf(kept, moved.origin), { '/': 'ready', '/a': 'ready' });
  t.is(moved.asked('/secret'), 0);
  const free = await crawl(flow, `${moving.origin}/`);
  t.deepEqual(statusesOf(free, moving.origin), { '/': 'ready', '/a': 'ready', '/secret': 'ready' });
  t.is(moving.requests.filter(({ path }) => path.startsWith('/robots.txt')).length, 6);
});

test('a redirect of robots.txt to a private address is refused without a request', async (t) => {
  const site = await startSite({
    '/': htmlPage('start'),
    '/robots.txt': (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  });
  t.teardown(site.close);
  const done = await crawl(await startFlow(), `${site.origin}/`);
  t.like(done, { status: 'failed', crawl: { status: 'failed' } });
  t.regex(done.contents[0]?.status_message ?? '', /Refused to fetch .* loopback/);
  t.is(site.asked('/'), 0);
});

test('a crawl delay of centuries is limited to the longest supported delay', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const site = await startSite({
    '/': htmlPage('start'),
    '/robots.txt': (response) => void response.end('User-agent: *\nCrawl-delay: 99999999999'),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  // Only the start page, so that the delay never applies.
  const done = await crawl(flow, `${site.origin}/`, { max_depth: '0' });
  t.like(done, { status: 'completed', progress: { by_status: { ready: 1 } } });
  const rows = await behind.query(`select delay_ms from crawls where workspace_id = :id`, { id: flow.workspaceId });
  t.deepEqual(rows, [{ delay_ms: 86_400_000 }]);
});

test('a page whose links take too long to judge fails, also one that asks not to be indexed, and no page counts as gone', async (t) => {
  const rules = Array.from({ length: 20_000 }, (_, index) => `Disallow: /*${index}*x*y$`).join('\n');
  const anchors = Array.from({ length: 1_000 }, (_, index) => `<a href="/${index}${'x'.repeat(200)}">to</a>`).join('');
  const site = await startSite({ '/': htmlPage('start', ['/many']), '/many': htmlPage('many', ['/behind']) });
  t.teardown(site.close);
  site.pages.set('/behind', htmlPage('behind'));
  const flow = await startFlow();
  const first = await crawl(flow, `${site.origin}/`);
  t.like(first, { status: 'completed', progress: { total: 3, by_status: { ready: 3 } } });
  site.pages.set('/robots.txt', `User-agent: *\n${rules}`);
  site.pages.set('/many', `<meta name="robots" content="noindex"><a href="/behind">behind</a>${anchors}`);
  const again = await crawl(flow, `${site.origin}/`);
  t.like(again.crawl.reasons, { read_timeout: 1 });
  const behind = first.contents.find(({ name }) => name.endsWith('/behind'));
  t.is((await flow.content(behind?.content_id ?? '')).sync_status, 'synced');
});
