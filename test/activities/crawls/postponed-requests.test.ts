import test, { type ExecutionContext } from 'ava';
import { crawlSlice } from '#activities/crawls/crawl-slice.ts';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import { hostHashOf } from '#activities/crawls/wait-for-request-slot.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { query } from '#store/postgres.ts';
import { openCrawl } from '#test/operations/crawls/open-crawl.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer } from '#test/support/servers/trap-server.ts';
import { openPages } from './open-pages.ts';

const CRAWLING = { userAgent: 'test', delayMs: 0, maxDelayMs: 30_000, pageTimeoutMs: 60_000, queriesOfPath: 10 };
const FILES = { robots: 'User-agent: *', sitemap: '<urlset></urlset>' };
const TAKEN = { intervalMs: 600_000, isIntervalKnown: true, maxWaitMs: 0 };

/** A crawl of which a file of the kind is due, which redirects from `site.example` to `other.example`; and a function for a slice. */
async function openRedirectedFile(t: ExecutionContext, kind: 'robots' | 'sitemap') {
  const server = await startTrapServer(t, {
    '/file': (response, { headers }) => {
      const to = `other.example:${server.port}`;
      if (headers.host === to) response.end(FILES[kind]);
      else response.writeHead(301, { location: `http://${to}/file` }).end();
    },
  });
  const { services, database, scope, crawlId } = await openCrawl(t);
  const [site, other] = [`http://site.example:${server.port}`, `http://other.example:${server.port}`] as const;
  await query(database, `update crawls set origin = :site`, { site });
  await query(database, `update crawl_pages set not_before = now() + interval '1 hour' where kind = 'page'`);
  await query(database, `update crawl_pages set kind = :kind, url = :url where kind = 'robots'`, {
    kind,
    url: `${site}/file`,
  });
  const pages = await openPages(t);
  const own = { egress: egressToTraps(), crawling: CRAWLING, pages, downloads: { maxBytes: 1_000 } };
  // A slice that only fetches such a file uses no other service of a worker.
  const worker = { ...services, ...own } as unknown as WorkerServices;
  const [collection_id = ''] = scope.collectionIds;
  const args = { workspace_id: scope.workspaceId, collection_id, upload_id: crawlId, crawl_id: crawlId, after: 0 };
  const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };
  const file = () =>
    query(database, 'select state, url, hops, attempts from crawl_pages where kind = :kind', { kind }).then(
      ([row]) => row,
    );
  const hosts = () => server.requests.map(({ headers }) => headers.host);
  return { slice: () => crawlSlice(worker, args, step), file, hosts, site, other, services, database };
}

for (const kind of ['robots', 'sitemap'] as const) {
  test(`a ${kind} file that redirects to a busy host waits for a slot there without using up an attempt`, async (t) => {
    const { slice, file, hosts, site, other, services, database } = await openRedirectedFile(t, kind);
    await services.stores.system.reserveRequestSlot(hostHashOf(other), TAKEN);
    t.like(await slice(), { fate: 'more' });
    t.deepEqual(await file(), { state: 'waiting', url: `${other}/file`, hops: 0, attempts: 0 });
    await query(database, 'delete from host_turns');
    await query(database, 'update crawl_pages set not_before = now() where kind = :kind', { kind });
    await slice();
    t.like(await file(), { state: 'fetched' });
    t.deepEqual(
      hosts(),
      [site, other].map((origin) => new URL(origin).host),
    );
  });
}

test('an unchanged page whose stored bytes are lost is requested without conditions when the host has a slot again', async (t) => {
  const server = await startTrapServer(t, {
    '/page': (response, { headers }) => void response.writeHead(headers['if-none-match'] === '"1"' ? 304 : 410).end(),
  });
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const worker = { ...services, egress: egressToTraps(), crawling: CRAWLING, downloads: { maxBytes: 1_000 } };
  const lost = 'a'.repeat(64);
  const fetched = (reason: string | null) => {
    const request = {
      crawl: {
        workspace_id: '01890000-0000-7000-8000-000000000000',
        origin: server.origin,
        robots: '',
        delay_ms: null,
      },
      page: { kind: 'page', url: `${server.origin}/page`, reason },
      known: { stage: 'ready', main_text: true, type: 'text/html', content_hash: lost, seen_hash: lost, etag: '"1"' },
      signal: new AbortController().signal,
    };
    return fetchPage(worker as unknown as WorkerServices, request as unknown as PageRequest);
  };
  await services.stores.system.reserveRequestSlot(hostHashOf(server.origin), TAKEN);
  t.like(await fetched(null), { kind: 'retry', code: 'blob_missing' });
  t.like(await fetched('blob_missing'), { kind: 'gone' });
  t.is(server.requests.length, 2);
});
