import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { UploadProgress } from '#domain/records/upload.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';
import type { BenchStack } from './bench-stack.ts';

const PAGES = 15;
const CRAWLS = 3;
const DELAY_MS = 1_000;

/**
 * Runs several crawls of one host that allows one request per second, and kills the worker in the middle. Returns the ratio of
 * the request rate to the allowed rate, and the shortest time between two arrivals.
 */
export async function measureCrawlRate(
  stack: BenchStack,
): Promise<{ requests: number; ratio: number; shortestMs: number }> {
  const arrivals: number[] = [];
  const paths = Array.from({ length: PAGES }, (_, index) => `/${index}`);
  const page = (html: string) => (response: ServerResponse) => {
    arrivals.push(performance.now());
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  };
  const site = await startSite({
    '/robots.txt': (response) => void response.end(`User-agent: *\nCrawl-delay: ${DELAY_MS / 1000}`),
    '/': page(htmlPage('start', paths)),
    ...Object.fromEntries(paths.map((path) => [path, page(htmlPage(`page ${path}`))])),
  });
  try {
    const uploads = await Promise.all(
      Array.from({ length: CRAWLS }, async (_, index) => {
        const { id } = await stack.client.createCollection(`pace ${index}`);
        return stack.client.upload(id, [], { crawl: 'true', urls: `${site.origin}/` });
      }),
    );
    while (arrivals.length < PAGES) await delay(100);
    await stack.services.worker.kill('SIGKILL');
    await stack.services.worker.start();
    for (const { upload_id } of uploads) await waitUntilFinished(stack, upload_id ?? '');
  } finally {
    await site.close();
  }
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
  const tookMs = gaps.reduce((sum, gap) => sum + gap, 0);
  return { requests: arrivals.length, ratio: (gaps.length * DELAY_MS) / tookMs, shortestMs: Math.min(...gaps) };
}

async function waitUntilFinished({ servers, apiKey }: BenchStack, uploadId: string): Promise<void> {
  const url = `http://127.0.0.1:${servers.ports.api}/api/v1/uploads/${uploadId}?limit=1`;
  for (;;) {
    const response = await fetch(url, { headers: { 'X-API-Key': apiKey } });
    if (UploadProgress.parse(await response.json()).status !== 'running') return;
    await delay(500);
  }
}
