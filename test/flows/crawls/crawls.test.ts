import test from 'ava';
import { requestIntervalMs } from '#activities/crawls/wait-for-request-slot.ts';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { crawl, startCrawl, statusesOf, untilOver } from '#test/support/harness/crawl-flow.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { htmlPage, startSite, type SitePage } from '#test/support/servers/site-server.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTrapSite } from '#test/support/servers/trap-site.ts';

const LIMITS = { maxDepth: 5, queriesOfPath: 7 };

test('a crawl of a site full of traps stores every expected page once and completes', async (t) => {
  t.timeout(480_000);
  const site = await startTrapSite({ articles: 150, ...LIMITS });
  t.teardown(site.close);
  const flow = await startFlow();
  const fields = { max_pages: '1000', max_depth: String(LIMITS.maxDepth), metadata: '{"site":"traps"}' };
  const done = await untilOver(flow, await startCrawl(flow, `${site.origin}/`, fields));
  // Content names omit the query, so pages that differ only in the query have the same name.
  const expected = [...site.expected].map(([path, status]) => `${path.split('?')[0]} ${status}`).toSorted();
  const found = done.contents.map(({ name, status }) => `${name.replace(site.origin, '')} ${status}`).toSorted();
  t.deepEqual(found, expected);
  t.like(done, { status: 'completed_with_errors', progress: { percent: 100 } });
  t.like(done.crawl, { status: 'completed', status_message: null, pages: { waiting: 0, failed: 8, gone: 0 } });
  t.like(done.crawl.reasons, {
    robots: 3,
    noindex: 2,
    off_site: 1,
    type: 5,
    empty: 1,
    download_timeout: 1,
    download_too_large: 2,
  });
  for (const path of site.forbidden) t.is(site.asked(path), 0, path);
  t.is(site.elsewhere.requests.length, 0);
  for (const path of site.expected.keys()) {
    const most = { '/error': 3, '/busy': 2, '/cut': 3, '/hangs': 2, '/orphan': 2 }[path] ?? 1;
    // A worker that stalls on a busy machine may send one more request.
    t.true([most, most + 1].includes(site.asked(path)), `number of requests for ${path}`);
  }
  t.true(site.requests.every(({ headers }) => headers['user-agent']?.startsWith('Loci/') === true));
  const program = done.contents.find(({ name }) => name.endsWith('/script.php'));
  t.is((await flow.content(program?.content_id ?? '')).type, 'text/html');
  const failures = new Map(
    done.contents.map(({ name, status_message }) => [name.replace(site.origin, ''), status_message]),
  );
  t.regex(failures.get('/login') ?? '', /403/);
  t.regex(failures.get('/hangs') ?? '', /longer than the limit/);
  const [article] = await flow.search('article 77 of the anchor and the anchor', { filters: { site: 'traps' } });
  t.is(article?.source, `${site.origin}/article/77`);
});

test('pages are linked to the page they were found on, and only their main text is read', async (t) => {
  const menu = `<div class="menu">${'<a href="/">A line of the menu of the harbour office</a> '.repeat(40)}</div>`;
  const text = 'The pilot boat leaves at dawn, whatever the weather, and takes the mail along. '.repeat(12);
  const page = (title: string, links: string) =>
    `<html><head><title>${title}</title></head><body>${menu}<div id="content"><h1>${title}</h1><p>${text}</p>${links}</div></body></html>`;
  const site = await startSite({
    '/': page('harbour', '<a href="/boats">boats</a>'),
    '/boats': page('boats', '<a href="/boats/pilot">pilot</a>'),
    '/boats/pilot': page('pilot boat', ''),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const done = await crawl(flow, `${site.origin}/`, { description: 'of a crawl' });
  const contents = await Promise.all(done.contents.map(({ content_id }) => flow.content(content_id)));
  const byPath = new Map(contents.map((content) => [content.name.replace(site.origin, ''), content]));
  t.is(byPath.get('/')?.linked_to, null);
  t.is(byPath.get('/boats')?.linked_to, byPath.get('/')?.id);
  t.is(byPath.get('/boats/pilot')?.linked_to, byPath.get('/boats')?.id);
  const pilot = byPath.get('/boats/pilot');
  t.like(pilot, { description: 'of a crawl', file_data: { title: 'pilot boat', url: `${site.origin}/boats/pilot` } });
  const chunks = (await flow.chunks(pilot?.id ?? '')).map(({ content }) => content).join('\n');
  t.regex(chunks, /leaves at dawn/);
  t.notRegex(chunks, /line of the menu/);
  // An uploaded page keeps its whole text, unlike a crawled one.
  const [plain] = (await flow.upload(['urls', `${site.origin}/boats/pilot`])).uploads;
  t.is(plain?.content_id, pilot?.id);
  const whole = (await flow.chunks(pilot?.id ?? '')).map(({ content }) => content).join('\n');
  t.regex(whole, /line of the menu/);
});

test('a crawl stops at max_pages and max_depth', async (t) => {
  const links = Array.from({ length: 40 }, (_, index) => `/${index}`);
  const site = await startSite({
    '/': htmlPage('start', links),
    ...Object.fromEntries(links.map((path) => [path, htmlPage(`page ${path}`, ['/deeper'])])),
    '/deeper': htmlPage('deeper'),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const few = await crawl(flow, `${site.origin}/`, { max_pages: '12' });
  t.like(few, { status: 'completed', progress: { total: 12, by_status: { ready: 12 } } });
  t.like(few.crawl, {
    max_pages: 12,
    max_depth: 3,
    pages: { fetched: 12 },
    reasons: { limit: few.crawl.pages.skipped },
  });
  t.regex(few.crawl.status_message ?? '', /Stopped at 12 pages; \d+ more are known/);
  const shallow = await crawl(await startFlow(), `${site.origin}/`, { max_depth: '1' });
  t.like(shallow, { status: 'completed', progress: { total: 41 } });
  t.is(site.asked('/deeper'), 0);
  const alone = await crawl(await startFlow(), `${site.origin}/`, { max_depth: '0' });
  t.like(alone, { progress: { total: 1, by_status: { ready: 1 } } });
});

test('a crawl with ingest=false stores pages without ingesting them', async (t) => {
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a') });
  t.teardown(site.close);
  const flow = await startFlow();
  const done = await crawl(flow, `${site.origin}/`, { ingest: 'false' });
  t.like(done, { status: 'stored', progress: { by_status: { stored: 2 } } });
  const contents = await Promise.all(done.contents.map(({ content_id }) => flow.content(content_id)));
  t.true(contents.every(({ type, size }) => type === 'text/html' && (size ?? 0) > 100));
  t.deepEqual(await flow.search('everything about a'), []);
  const page = contents.find(({ name }) => name.endsWith('/a'));
  site.pages.set('/a', htmlPage('something else'));
  const json = { content_id: page?.id };
  await flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });
  t.like(await flow.reach(page?.id ?? '', 'ready'), { content_hash: page?.content_hash ?? '' });
  t.is(site.asked('/a'), 1, 'its stored bytes are ingested');
});

test('a page is crawled into one content, whatever fragment and tracking parameters its address was sent with', async (t) => {
  const site = await startSite({ '/': htmlPage('start', ['/docs']), '/docs': htmlPage('documents') });
  t.teardown(site.close);
  const flow = await startFlow();
  await crawl(flow, `${site.origin}/`);
  const ids = new Set<string>();
  for (const typed of ['/docs#install', '/docs?utm_source=mail', '/docs']) {
    const { crawl: one, progress } = await crawl(flow, `${site.origin}${typed}`);
    t.like([one.pages, progress], [{ unchanged: 2 }, { total: 2 }], typed);
    ids.add(one.content_id);
  }
  t.is(ids.size, 1);
});

test('a site that disallows its start page, or whose robots.txt cannot be read, is not crawled', async (t) => {
  const flow = await startFlow();
  const refused = async (pages: Parameters<typeof startSite>[0], fields: Record<string, string> = {}) => {
    const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a'), ...pages });
    t.teardown(site.close);
    const done = await crawl(flow, `${site.origin}/`, fields);
    t.like(done, { status: 'failed', progress: { total: 1, by_status: { failed: 1 } } });
    t.is(done.crawl.status, 'failed');
    t.is(site.asked('/a'), 0);
    return { message: done.contents[0]?.status_message ?? '', asked: (path: string) => site.asked(path) };
  };
  for (const ingest of ['true', 'false']) {
    const closed = 'User-agent: *\nDisallow: /';
    const disallowed = await refused({ '/robots.txt': (response) => void response.end(closed) }, { ingest });
    t.regex(disallowed.message, /robots\.txt .* does not allow/, `ingest=${ingest}`);
    t.is(disallowed.asked('/'), 0);
  }
  const away = await refused({ '/robots.txt': (response) => void response.writeHead(500).end() });
  t.regex(away.message, /robots\.txt cannot be read: .* 500\. .*RFC 9309/);
  t.is(away.asked('/'), 0);
  t.is(away.asked('/robots.txt'), 4);
  const unwanted = htmlPage('start', [], '<meta name="robots" content="noindex">');
  t.regex((await refused({ '/': unwanted })).message, /noindex/);
});

test('a crawl respects the Crawl-delay of the site up to a limit', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const site = await startSite({
    '/': htmlPage('start'),
    '/robots.txt': (response) => void response.end('User-agent: *\nCrawl-delay: 0.25'),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const done = await crawl(flow, `${site.origin}/`);
  t.is(done.status, 'completed');
  const rows = await behind.query(`select delay_ms from crawls where workspace_id = :id`, { id: flow.workspaceId });
  t.deepEqual(rows, [{ delay_ms: 250 }]);
  const pace = (crawling: { delayMs: number; maxDelayMs: number }, delay_ms: number | null) =>
    requestIntervalMs({ services: { crawling }, crawl: { delay_ms } });
  t.is(pace({ delayMs: 1_000, maxDelayMs: 30_000 }, 250), 1_000);
  t.is(pace({ delayMs: 1_000, maxDelayMs: 30_000 }, 7_000), 7_000);
  t.is(pace({ delayMs: 1_000, maxDelayMs: 30_000 }, 86_400_000), 30_000);
  t.is(pace({ delayMs: 1_000, maxDelayMs: 30_000 }, null), 1_000);
});

test('a private address is refused without a request', async (t) => {
  const done = await crawl(await startFlow(), 'http://127.0.0.1:1/');
  t.like(done, { status: 'failed', crawl: { status: 'failed' } });
  t.regex(done.contents[0]?.status_message ?? '', /Refused to fetch .* loopback/);
});

test('the start page may redirect within its site; redirects to another site or in a loop fail with a message', async (t) => {
  const other = await startSite({ '/': htmlPage('another site') });
  t.teardown(other.close);
  const site = await startSite({
    '/': (response) => void response.writeHead(301, { location: '/home' }).end(),
    '/home': htmlPage('home', ['/', '/a', '/home']),
    '/a': htmlPage('a', ['/home']),
    '/away': (response) => void response.writeHead(301, { location: `${other.origin}/` }).end(),
    '/round': (response) => void response.writeHead(301, { location: '/round?again' }).end(),
  });
  t.teardown(site.close);
  const flow = await startFlow();
  const done = await crawl(flow, `${site.origin}/`);
  t.deepEqual(statusesOf(done, site.origin), { '/': 'ready', '/a': 'ready' });
  t.is(site.asked('/home'), 1);
  const again = await crawl(flow, `${site.origin}/a`);
  t.deepEqual(
    statusesOf(again, site.origin),
    { '/': 'ready', '/a': 'ready' },
    'the page is also known by its other URL',
  );
  t.is(again.crawl.pages.unchanged, 2);
  const away = await crawl(flow, `${site.origin}/away`);
  t.regex(away.contents[0]?.status_message ?? '', /another site/);
  const round = await crawl(flow, `${site.origin}/round`);
  t.regex(round.contents[0]?.status_message ?? '', /circle/);
  t.is(other.requests.length, 0);
});

test('pages that redirect to another spelling of their address are taken', async (t) => {
  const moved =
    (location: string): SitePage =>
    (response) =>
      void response.writeHead(301, { location }).end();
  const site = await startSite({
    '/': htmlPage('home'),
    '/%7Ejoe/': moved('/~joe/'),
    '/~joe/': htmlPage('joe', ['/list?b=1&a=2']),
    '/list?b=1&a=2': moved('/list?a=2&b=1'),
    '/list?a=2&b=1': htmlPage('a list'),
  });
  t.teardown(site.close);
  const done = await crawl(await startFlow(), `${site.origin}/%7Ejoe/`);
  t.like(done, { status: 'completed', progress: { by_status: { ready: 3 } }, crawl: { reasons: {} } });
});
