import { AppError } from '#domain/app-error.ts';
import type { PageTaskPayload } from '#providers/crawler/page-protocol.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import type { KnownPage } from '#store/crawls/crawl-pages.ts';
import { isPassing, isWorthAnotherDownload } from '#activities/failures.ts';
import { fetchRobots, fetchSitemap, unreachable } from './fetch-site-file.ts';
import { inspectPage } from './inspect-page.ts';
import type { PageOutcome } from './page-outcome.ts';
import { isRedirect, requestOptions, rulesOf, type PageRequest, type Reading } from './page-request.ts';
import { readAnswer, servesPages } from './read-answer.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** A document may be larger than any page: so many times a page's time. */
const DOCUMENT_PATIENCE = 4;

/** Asks the site for what is next in its frontier. Never throws for what the site does; for what the infrastructure does. */
export async function fetchPage(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  try {
    if (request.page.kind === 'robots') return await fetchRobots(services, request);
    if (request.page.kind === 'sitemap') return await fetchSitemap(services, request);
    return await fetchDocument(services, request);
  } catch (error) {
    request.signal.throwIfAborted();
    if (!(error instanceof AppError) || isPassing(error)) throw error;
    const { code, message } = error;
    if (!isWorthAnotherDownload(error)) return { kind: 'failed', code, message };
    return { kind: 'again', code, message, afterMs: (error.retryAfterS ?? 0) * 1000 };
  }
}

async function fetchDocument(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { page, known, signal } = request;
  const { pageTimeoutMs } = services.crawling;
  const options = requestOptions(services, request);
  const late = new AbortController();
  const onLate = () => late.abort(tooSlow(pageTimeoutMs));
  let timer = setTimeout(onLate, pageTimeoutMs);
  try {
    const response = await services.egress.fetchTo(page.url, {
      ...options,
      totalTimeoutMs: pageTimeoutMs * DOCUMENT_PATIENCE,
      maxBytes: services.downloads.maxBytes,
      maxRedirects: 0,
      signal: AbortSignal.any([signal, late.signal]),
      headers: { ...options.headers, ...conditionsOf(known) },
    });
    const look = (sha256: string | null, payload: PageTaskPayload) =>
      inspectPage(services, request, { sha256, payload });
    const reading: Reading = { services, request, response, look };
    const { status, headers } = response;
    if (status === 304 && known) {
      await response.discard();
      return await readUnchanged(reading, known);
    }
    if (isRedirect(response)) {
      await response.discard();
      return await readRedirect(reading, headers['location'] ?? '');
    }
    if (status === 404 || status === 410) {
      await response.discard();
      return { kind: 'gone', message: `The page answered ${status}: it is not, or no longer, there.` };
    }
    await requireUsable(services, response);
    if (!servesPages(headers['content-type'])) {
      clearTimeout(timer);
      timer = setTimeout(onLate, pageTimeoutMs * DOCUMENT_PATIENCE);
    }
    return await readAnswer(reading);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws AppError as a download does, for what is no success. */
async function requireUsable(services: WorkerServices, response: FetchedResponse): Promise<void> {
  const { status } = response;
  if (status >= 200 && status < 300) return;
  await response.discard();
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    throw unreachable(services, response, `The page answered ${status}, which may pass.`);
  }
  throw new AppError('download_rejected', `The page answered ${status} instead of a document.`);
}

async function readRedirect(reading: Reading, location: string): Promise<PageOutcome> {
  const { crawl, page } = reading.request;
  const { links } = await reading.look(null, {
    kind: 'links',
    links: [location],
    url: page.url,
    rules: rulesOf(crawl),
  });
  return { kind: 'redirect', to: links[0] ?? null, address: URL.parse(location, page.url)?.href ?? '' };
}

/** The links of a page that is as it was are those of its bytes. */
async function readUnchanged({ request, response, look }: Reading, known: KnownPage): Promise<PageOutcome> {
  const { crawl, page } = request;
  const { headers } = response;
  const validators = {
    etag: headers['etag'] ?? known.etag,
    lastModified: headers['last-modified'] ?? known.last_modified,
  };
  if (known.type !== 'text/html' || known.content_hash === null) return { kind: 'unchanged', links: [], validators };
  const task: PageTaskPayload = { kind: 'page', url: page.url, charset: null, rules: rulesOf(crawl) };
  const { links, isFollowable } = await look(known.content_hash, task);
  return { kind: 'unchanged', links: isFollowable ? links : [], validators };
}

/** Asks for what has changed, where it is known what was there, and that this still is what the collection has. */
function conditionsOf(known: KnownPage | null): Record<string, string> {
  const isKept = known?.stage === 'ready' && known.main_text && known.content_hash === known.seen_hash;
  if (!known || !isKept) return {};
  return {
    ...(known.etag === null ? {} : { 'if-none-match': known.etag }),
    ...(known.last_modified === null ? {} : { 'if-modified-since': known.last_modified }),
  };
}

function tooSlow(timeoutMs: number): AppError {
  return new AppError('download_timeout', `The page took longer than the limit of ${timeoutMs / 1000} s.`);
}
