import { AppError, type ErrorCode } from '#domain/app-error.ts';
import type { SpooledBlob, StoredBlob } from '#domain/blob-store.ts';
import { parseRetryAfterS } from '#domain/retry-after.ts';
import type { Link, PageTask, PageTaskResult, SiteRules } from '#providers/crawler/page-task.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_RETRY_AFTER_S = 3_600;

/** A page, sitemap or robots.txt to fetch. */
export type PageRequest = {
  crawl: Crawl;
  page: CrawlPage;
  /** The stored version of the page; null on the first visit. */
  known: KnownPage | null;
  signal: AbortSignal;
};

/** A response of the site, and what is needed to process it. */
export type PageResponse = {
  services: WorkerServices;
  request: PageRequest;
  response: FetchedResponse;
  /** Extracts links in a sandbox, from a local file or from the payload alone. Unreadable input yields no links. */
  inspect: (file: { path: string } | null, payload: PageTask) => Promise<PageTaskResult>;
};

/** Validators of a later conditional request. */
export type Validators = { etag: string | null; lastModified: string | null };

/** Links of a page or sitemap. `isCut`: there are more, which were not read. */
export type FoundLinks = { links: readonly Link[]; isCut: boolean };

export const NO_LINKS: FoundLinks = { links: [], isCut: false };

/** Result of requesting an entry of the frontier. */
export type PageOutcome =
  | { kind: 'robots'; robots: string; delayMs: number | null; sitemaps: readonly Link[]; isStartAllowed: boolean }
  | ({ kind: 'sitemap'; sitemaps: readonly Link[] } & FoundLinks)
  | ({
      kind: 'document';
      type: string;
      blob: StoredBlob;
      canonical: Link | null;
      validators: Validators;
      /** Of an HTML page: stays the same when bytes change but the text does not. */
      fingerprint: string | null;
    } & FoundLinks)
  | ({ kind: 'unchanged'; validators: Validators } & FoundLinks)
  /** `to` is null when the redirect leaves the site; `address` is its absolute target. */
  | { kind: 'redirect'; to: Link | null; address: string }
  | ({ kind: 'skipped'; reason: 'robots' | 'noindex' | 'type' | 'empty' } & FoundLinks)
  | { kind: 'gone'; message: string }
  | { kind: 'failed'; code: ErrorCode; message: string }
  /** The request failed and may succeed later. `afterMs` comes from `Retry-After`; 0 when the site sent none. */
  | { kind: 'retry'; code: ErrorCode; message: string; afterMs: number }
  /** robots.txt or a sitemap redirects to `url`, whose host has no request slot soon enough: it is requested later. */
  | { kind: 'postponed'; url: string; afterMs: number };

/** An outcome that ends the page, or has it requested once more at once. */
export type FinalOutcome = Exclude<PageOutcome, { kind: 'retry' | 'postponed' }>;

/** Returns the site's origin and robots.txt, which decide which links may be followed. */
export function siteRulesOf({ origin, robots }: Crawl): SiteRules {
  return { origin, robots: robots ?? '' };
}

/** Returns the options that all requests of a crawl share. */
export function requestOptions({ crawling }: WorkerServices, { signal }: PageRequest) {
  const { pageTimeoutMs, userAgent } = crawling;
  const headers = { 'user-agent': userAgent, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  return { totalTimeoutMs: pageTimeoutMs, idleTimeoutMs: pageTimeoutMs, signal, headers };
}

export function isRedirect({ status, headers }: FetchedResponse): boolean {
  return REDIRECTS.has(status) && headers['location'] !== undefined;
}

/** Reads the first `maxBytes` of a body. */
export async function readStart(response: FetchedResponse, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes <= maxBytes) continue;
    await response.discard();
    break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}

/** Passes a body on. @throws AppError `download_too_large` when it has more than `maxBytes`. */
export async function* limitBytes(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let seen = 0;
  for await (const part of bytes) {
    seen += part.byteLength;
    if (seen > maxBytes)
      throw new AppError('download_too_large', `The page is larger than the limit of ${maxBytes} bytes.`);
    yield part;
  }
}

/** Returns a spooled response as the processes that parse it take it. */
export async function responseFileOf(blob: SpooledBlob): Promise<{ path: string; bytes?: Uint8Array }> {
  return blob.bytes === null ? { path: await blob.path() } : { path: '', bytes: blob.bytes };
}

/** Returns the error of a request that may succeed later; it carries the site's `Retry-After`, at most an hour. */
export function retryableDownloadError(
  { clock }: WorkerServices,
  { headers }: FetchedResponse,
  message: string,
): AppError {
  const seconds = parseRetryAfterS(headers['retry-after'], { nowMs: clock.now().getTime(), maxS: MAX_RETRY_AFTER_S });
  return new AppError('download_failed', message, seconds === null ? {} : { retryAfterS: seconds });
}
