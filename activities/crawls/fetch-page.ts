import { AppError, type ErrorCode } from '#domain/app-error.ts';
import type { LocalFile } from '#domain/blob-store.ts';
import { redirectTarget } from '#domain/crawls/crawl-url.ts';
import type { PageTask, PageTaskResult } from '#providers/crawler/page-task.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import type { KnownPage } from '#store/crawls/crawl-pages.ts';
import { isPassing, isWorthAnotherDownload } from '#activities/failures.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { fetchSiteFile } from './fetch-site-file.ts';
import {
  isRedirect,
  NO_LINKS,
  type FoundLinks,
  requestOptions,
  retryableDownloadError,
  siteRulesOf,
  type PageOutcome,
  type PageRequest,
  type PageResponse,
} from './page-request.ts';
import { declaresHtml, readResponse, robotsTagDirectives } from './read-response.ts';
import { maxFollowUpWaitMs, PostponedRequestError, waitForRequestSlot } from './wait-for-request-slot.ts';

/** Documents may be larger than pages; their time limit is this many times that of a page. */
const DOCUMENT_TIMEOUT_FACTOR = 4;

/**
 * Fetches an entry of the frontier: a page, a sitemap or robots.txt. Failures of the site are returned as outcomes; only failures
 * of the infrastructure are thrown.
 */
export async function fetchPage(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  try {
    if (request.page.kind !== 'page') return await fetchSiteFile(services, request);
    return await fetchDocument(services, request);
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof PostponedRequestError) return { kind: 'postponed', url: error.url, afterMs: error.afterMs };
    if (!(error instanceof AppError) || isPassing(error)) throw error;
    const { code, message } = error;
    if (!isWorthAnotherDownload(error)) return { kind: 'failed', code, message };
    return { kind: 'retry', code, message, afterMs: (error.retryAfterS ?? 0) * 1000 };
  }
}

/**
 * Requests a page. One that has not changed, but whose stored bytes are lost, is requested once more without conditions: otherwise it
 * would fail in every crawl until the site changes it. Without a request slot soon enough, that is done in a later time slice.
 */
async function fetchDocument(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { crawl, page, signal } = request;
  const known = page.reason === 'blob_missing' ? null : request.known;
  try {
    return await requestDocument(services, { ...request, known });
  } catch (error) {
    if (known === null || !(error instanceof AppError) || error.code !== 'blob_missing') throw error;
    const slot = { url: page.url, maxWaitMs: maxFollowUpWaitMs({ services, crawl }, page.url) };
    const { isReserved, waitMs } = await waitForRequestSlot({ services, crawl, signal }, slot);
    if (!isReserved) return { kind: 'retry', code: error.code, message: error.message, afterMs: waitMs };
    return await requestDocument(services, { ...request, known: null });
  }
}

async function requestDocument(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { page, known, signal } = request;
  const { pageTimeoutMs } = services.crawling;
  const options = requestOptions(services, request);
  const timeout = new AbortController();
  const onTimeout = () => timeout.abort(pageTimeoutError(pageTimeoutMs));
  let timer = setTimeout(onTimeout, pageTimeoutMs);
  try {
    const response = await services.egress.fetchTo(page.url, {
      ...options,
      totalTimeoutMs: pageTimeoutMs * DOCUMENT_TIMEOUT_FACTOR,
      maxBytes: services.downloads.maxBytes,
      maxRedirects: 0,
      signal: AbortSignal.any([signal, timeout.signal]),
      headers: { ...options.headers, ...conditionalHeaders(known) },
    });
    const inspect = (file: InspectedFile, payload: PageTask) => inspectPage(services, request, { file, payload });
    const pageResponse: PageResponse = { services, request, response, inspect };
    const withoutBody = await readWithoutBody(pageResponse);
    if (withoutBody) return withoutBody;
    await requireSuccess(services, response);
    if (!declaresHtml(response.headers['content-type'])) {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, pageTimeoutMs * DOCUMENT_TIMEOUT_FACTOR);
    }
    return await readResponse(pageResponse);
  } finally {
    clearTimeout(timer);
  }
}

/** Handles the responses whose body is of no use: unchanged, redirected or missing pages. Returns null for all others. */
async function readWithoutBody(pageResponse: PageResponse): Promise<PageOutcome | null> {
  const { request, response } = pageResponse;
  const { status, headers } = response;
  if (status === 304 && request.known) {
    await response.discard();
    return readUnchanged(pageResponse, request.known);
  }
  if (isRedirect(response)) {
    await response.discard();
    return readRedirect(pageResponse, headers['location'] ?? '');
  }
  if (status === 404 || status === 410) {
    await response.discard();
    return { kind: 'gone', message: `The site answered ${status}: the page does not exist, or no longer exists.` };
  }
  return null;
}

/** @throws AppError for a status that is not a success; the codes are those of downloads. */
async function requireSuccess(services: WorkerServices, response: FetchedResponse): Promise<void> {
  const { status } = response;
  if (status >= 200 && status < 300) return;
  await response.discard();
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    throw retryableDownloadError(services, response, `The page answered ${status}, which may be temporary.`);
  }
  throw new AppError('download_rejected', `The page answered ${status} instead of a document.`);
}

async function readRedirect({ request, inspect }: PageResponse, location: string): Promise<PageOutcome> {
  const { crawl, page } = request;
  const target = redirectTarget(location, page.url);
  const payload = {
    kind: 'links' as const,
    links: target === null ? [] : [target],
    url: page.url,
    rules: siteRulesOf(crawl),
  };
  const { links } = await inspect(null, payload);
  return { kind: 'redirect', to: links[0] ?? null, address: target ?? '' };
}

/** The headers of an unchanged page may have changed: they may ask not to index it. */
async function readUnchanged(pageResponse: PageResponse, known: KnownPage): Promise<PageOutcome> {
  const { headers } = pageResponse.response;
  const asked = robotsTagDirectives(headers);
  const found = asked.has('nofollow') ? NO_LINKS : await findStoredLinks(pageResponse, known);
  if (asked.has('noindex')) return { kind: 'skipped', reason: 'noindex', ...found };
  const validators = {
    etag: headers['etag'] ?? known.etag,
    lastModified: headers['last-modified'] ?? known.last_modified,
  };
  return { kind: 'unchanged', ...found, validators };
}

/** An unchanged page has the links of its stored bytes. */
async function findStoredLinks({ services, request, inspect }: PageResponse, known: KnownPage): Promise<FoundLinks> {
  const { crawl, page } = request;
  if (known.type !== 'text/html' || known.content_hash === null) return NO_LINKS;
  const task: PageTask = { kind: 'page', url: page.url, charset: null, rules: siteRulesOf(crawl) };
  const file = await services.blobs.checkOut(crawl.workspace_id, known.content_hash);
  try {
    const { links, isCut, isFollowable } = await inspect(file, task);
    return isFollowable ? { links, isCut } : NO_LINKS;
  } finally {
    await file.release();
  }
}

/** Returns the headers of a conditional request; none unless the collection still has what the last crawl saw. */
function conditionalHeaders(known: KnownPage | null): Record<string, string> {
  const isKept = known?.stage === 'ready' && known.main_text && known.content_hash === known.seen_hash;
  if (!known || !isKept) return {};
  return {
    ...(known.etag === null ? {} : { 'if-none-match': known.etag }),
    ...(known.last_modified === null ? {} : { 'if-modified-since': known.last_modified }),
  };
}

function pageTimeoutError(timeoutMs: number): AppError {
  return new AppError('download_timeout', `The page took longer than the limit of ${timeoutMs / 1000} s.`);
}

/** What is known of a response that cannot be parsed: it may have links. */
const NOTHING_KNOWN: PageTaskResult = {
  links: [],
  isCut: true,
  sitemaps: [],
  canonical: null,
  isIndexable: true,
  isFollowable: true,
  delayS: null,
  fingerprint: null,
};

/** The process that looks at a page was stopped. */
const LIMIT_CODES: readonly ErrorCode[] = ['read_timeout', 'read_memory_limit'];

type InspectedFile = Pick<LocalFile, 'path' | 'bytes'> | null;

/**
 * Extracts links from a response in a file, or evaluates the links of the payload. A response that cannot be parsed yields no links;
 * whether a reader can read it turns out when it is ingested. One that takes too much time or memory fails: it may ask not to be
 * indexed, and pages that only it leads to would count as gone.
 */
async function inspectPage(
  { pages }: WorkerServices,
  { crawl, signal }: PageRequest,
  { file, payload }: { file: InspectedFile; payload: PageTask },
): Promise<PageTaskResult> {
  try {
    return await pages.inspect(file, payload, { signal, share: crawl.workspace_id });
  } catch (error) {
    if (!(error instanceof AppError) || isPassing(error) || LIMIT_CODES.includes(error.code)) throw error;
    return NOTHING_KNOWN;
  }
}
