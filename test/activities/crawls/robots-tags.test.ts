import test from 'ava';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import { robotsTagDirectives } from '#activities/crawls/read-response.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { LIMITS, egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer } from '#test/support/servers/trap-server.ts';

const asked = (tag: string) => [...robotsTagDirectives({ 'x-robots-tag': tag })].toSorted();

test('a crawler named in X-Robots-Tag is addressed by the directives after it, up to the next name', (t) => {
  t.deepEqual(asked('NoIndex, nofollow'), ['nofollow', 'noindex']);
  t.deepEqual(asked('none'), ['nofollow', 'noindex']);
  t.deepEqual(asked('googlebot: nofollow, noindex'), []);
  t.deepEqual(asked('nofollow, googlebot: noindex'), ['nofollow']);
  t.deepEqual(asked('googlebot: nofollow, Loci: noindex, noarchive, otherbot: nofollow'), ['noarchive', 'noindex']);
  t.deepEqual(asked('googlebot: nofollow\nnoindex'), ['noindex'], 'a line of its own');
  t.deepEqual(asked('max-snippet: 20, noindex, max-image-preview: large'), ['noindex'], 'directives with values');
});

test('directives of X-Robots-Tag are told apart without commas, and dates are no directives', (t) => {
  t.deepEqual(asked('noindex nofollow'), ['nofollow', 'noindex']);
  t.deepEqual(asked('noarchive;NONE'), ['noarchive', 'nofollow', 'noindex']);
  t.deepEqual(asked('loci: noindex  noarchive; otherbot: nofollow'), ['noarchive', 'noindex']);
  t.deepEqual(asked('unavailable_after: 25 Jun 2030 15:00:00 PST; noindex'), ['noindex']);
});

test('lines of X-Robots-Tag are told apart', async (t) => {
  const server = await startTrapServer(t, {
    '/': (response) => void response.setHeader('X-Robots-Tag', ['googlebot: nofollow', 'noindex']).end('two lines'),
  });
  const response = await egressToTraps().fetchTo(`${server.origin}/`, LIMITS);
  await response.discard();
  t.deepEqual([...robotsTagDirectives(response.headers)], ['noindex']);
});

test('a page that has not changed, but now asks not to be indexed, is skipped', async (t) => {
  const server = await startTrapServer(t, {
    '/tagged': (response) => void response.writeHead(304, { 'x-robots-tag': 'noindex' }).end(),
    '/plain': (response) => void response.writeHead(304).end(),
  });
  const crawling = { userAgent: 'test', delayMs: 0, maxDelayMs: 0, pageTimeoutMs: 60_000 };
  // An unchanged document without links uses no other service of a worker.
  const worker = { egress: egressToTraps(), crawling, downloads: { maxBytes: 1_000 } } as unknown as WorkerServices;
  const known = {
    stage: 'ready',
    main_text: true,
    content_hash: 'x',
    seen_hash: 'x',
    etag: '"1"',
    last_modified: null,
  };
  const fetched = (path: string) => {
    const page = { kind: 'page', url: `${server.origin}${path}` };
    const { signal } = new AbortController();
    const crawl = { origin: server.origin, robots: '' };
    return fetchPage(worker, { crawl, page, known, signal } as unknown as PageRequest);
  };
  t.like(await fetched('/tagged'), { kind: 'skipped', reason: 'noindex' });
  t.like(await fetched('/plain'), { kind: 'unchanged' });
  t.deepEqual(
    server.requests.map(({ headers }) => headers['if-none-match']),
    ['"1"', '"1"'],
  );
});
