import test from 'ava';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { egressToTraps } from '#test/support/servers/trap-egress.ts';
import { startTrapServer } from '#test/support/servers/trap-server.ts';

test('of an address that ends like a file, nothing is downloaded that is not declared to be a page', async (t) => {
  const types = {
    '/a.js': 'text/javascript',
    '/b.bin': 'application/octet-stream',
    '/c.xml': 'text/plain',
    '/d.json': null,
  };
  const server = await startTrapServer(
    t,
    Object.fromEntries(
      Object.entries(types).map(([path, type]) => [
        path,
        // The body never ends.
        (response) => void response.writeHead(200, type === null ? {} : { 'content-type': type }).write('begun'),
      ]),
    ),
  );
  const crawling = { userAgent: 'test', delayMs: 0, maxDelayMs: 0, pageTimeoutMs: 60_000, maxPageBytes: 1_000 };
  // What is not downloaded uses no other service of a worker.
  const worker = { egress: egressToTraps(), crawling, downloads: { maxBytes: 1_000 } } as unknown as WorkerServices;
  for (const path of Object.keys(types)) {
    const page = { kind: 'page', url: `${server.origin}${path}`, is_start: false };
    const { signal } = new AbortController();
    const request = { crawl: { origin: server.origin, robots: '' }, page, known: null, signal };
    t.like(await fetchPage(worker, request as unknown as PageRequest), { kind: 'skipped', reason: 'type' }, path);
  }
  await server.allClosed();
});
