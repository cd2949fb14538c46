import { v7 as uuidv7 } from 'uuid';
import { fetchPage } from '#activities/crawls/fetch-page.ts';
import type { PageRequest } from '#activities/crawls/page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { PagePool } from '#providers/crawler/page-pool.ts';
import type { Egress } from '#security/egress/egress.ts';

type RobotsRequest = { egress: Egress; pages: PagePool; origin: string; delayMs?: number; maxDelayMs?: number };

/** Fetches the robots.txt of a site as a crawl that has just begun does. */
export function fetchRobots(services: object, { egress, pages, origin, delayMs = 0, maxDelayMs = 0 }: RobotsRequest) {
  const crawling = { userAgent: 'test', delayMs, maxDelayMs, pageTimeoutMs: 60_000 };
  // Fetching robots.txt uses no other service of a worker, and reads no more of its crawl.
  const own = { egress, crawling, pages, downloads: { maxBytes: 1_000 } };
  const worker = { ...services, ...own } as unknown as WorkerServices;
  const request = {
    crawl: { id: uuidv7(), workspace_id: uuidv7(), collection_id: uuidv7(), origin, robots: null, delay_ms: null },
    page: { kind: 'robots', url: `${origin}/robots.txt` },
    known: null,
    signal: new AbortController().signal,
  } as unknown as PageRequest;
  return fetchPage(worker, request);
}
