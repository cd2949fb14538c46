import { AppError } from '../domain/app-error.ts';
import type { Answer } from '../providers/crawler/page-pool.ts';
import type { PageTaskPayload, PageTaskValue, SiteRules } from '../providers/crawler/page-task-value.ts';
import type { FetchedResponse } from '../security/egress/fetched-response.ts';
import type { CrawlPage, KnownPage } from '../store/crawl-pages.ts';
import type { Crawl } from '../store/crawls.ts';
import type { WorkerServices } from './worker-services.ts';

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
  look: (answer: Answer, payload: PageTaskPayload) => Promise<PageTaskValue>;
};

/** What a link is judged by. */
export function rulesOf({ origin, robots }: Crawl): SiteRules {
  return { origin, robots: robots ?? '' };
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
    throw new AppError('download_too_large', `The page is larger than the limit of ${maxBytes} bytes.`);
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}
