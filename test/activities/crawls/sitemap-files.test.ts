import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { SiteResponse } from '#providers/crawler/page-pool.ts';
import { NOTHING_FOUND, type PageTask } from '#providers/crawler/page-task.ts';
import { createEgress } from '#security/egress/egress.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

test('a sitemap that waits to be read is in a file, which is removed afterwards', async (t) => {
  const sitemap = `<urlset>${'<url><loc>https://example.com/</loc></url>'.repeat(2_000)}</urlset>`;
  const server = createServer((_request, response) => void response.end(sitemap));
  server.listen(0, DOWNLOAD_ADDRESS);
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const origin = `http://${DOWNLOAD_ADDRESS}:${port}`;
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const paths: string[] = [];
  const inspect = async (response: SiteResponse, task: PageTask) => {
    // Twenty for each page, and a thousand.
    t.like(task, { kind: 'sitemap', most: 1_200 });
    if (response !== null && 'path' in response) {
      t.is(await readFile(response.path, 'utf8'), sitemap);
      paths.push(response.path);
    }
    return NOTHING_FOUND;
  };
  const crawling = { userAgent: 'test', delayMs: 0, maxDelayMs: 0, pageTimeoutMs: 60_000 };
  const egress = createEgress({ allow: [DOWNLOAD_ADDRESS] });
  // Fetching a sitemap uses no other service of a worker, and reads no more of its crawl.
  const worker = { ...services, egress, crawling, pages: { inspect } } as unknown as WorkerServices;
  const request = {
    crawl: { workspace_id: 'a workspace', origin, robots: '', max_pages: 10 },
    page: { kind: 'sitemap', url: `${origin}/sitemap.xml` },
    known: null,
    signal: new AbortController().signal,
  } as unknown as PageRequest;
  t.like(await fetchPage(worker, request), { kind: 'sitemap' });
  t.is(paths.length, 1);
  for (const path of paths) await t.throwsAsync(access(path), { code: 'ENOENT' });
});
