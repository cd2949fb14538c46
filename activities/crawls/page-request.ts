import { AppError } from '#domain/app-error.ts';
import type { PageTaskPayload, PageTaskValue, SiteRules } from '#providers/crawler/page-protocol.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export type PageRequest = {
  crawl: Crawl;
  page: CrawlPage;
  /** What the collection has of it; null for a first visit. */
  known: KnownPage | null;
  signal: AbortSignal;
};

/** An answer of a site that is being read. */
export type Reading = {
  services: WorkerServices;
  request: PageRequest;
  response: FetchedResponse;
  /** Looks into a stored answer, or none. What cannot be looked into leads nowhere. */
  look: (sha256: string | null, payload: PageTaskPayload) => Promise<PageTaskValue>;
};

/** What a link is judged by. */
export function rulesOf({ origin, robots }: Crawl): SiteRules {
  return { origin, robots: robots ?? '' };
}

/** What is the same for every request of a crawl. */
export function requestOptions({ crawling }: WorkerServices, { signal }: PageRequest) {
  const { pageTimeoutMs, userAgent } = crawling;
  const headers = { 'user-agent': userAgent, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  return { totalTimeoutMs: pageTimeoutMs, idleTimeoutMs: pageTimeoutMs, signal, headers };
}

export function isRedirect({ status, headers }: FetchedResponse): boolean {
  return REDIRECTS.has(status) && headers['location'] !== undefined;
}

/** A body as a whole, or as much of it as counts. @throws AppError `download_too_large`. */
export async function collect(response: FetchedResponse, maxBytes: number, beyond: 'cut' | 'refuse'): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes <= maxBytes) continue;
    await response.discard();
    if (beyond === 'cut') break;
    throw tooLarge(maxBytes);
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('download_too_large', `The page is larger than the limit of ${maxBytes} bytes.`);
}
