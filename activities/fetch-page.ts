import { AppError } from '../domain/app-error.ts';
import type { PageTaskPayload, PageTaskValue } from '../providers/crawler/page-task-value.ts';
import type { Answer } from '../providers/crawler/page-pool.ts';
import type { FetchedResponse } from '../security/egress/fetched-response.ts';
import type { KnownPage } from '../store/crawl-pages.ts';
import { isPassing, isWorthAnotherDownload } from './failures.ts';
import type { PageOutcome } from './page-outcome.ts';
import { collect, rulesOf, type PageRequest, type Reading } from './page-request.ts';
import { readDocument, readPage } from './read-answer.ts';
import type { WorkerServices } from './worker-services.ts';

/** RFC 9309 wants 500 KiB of it read; what is beyond is left out. */
const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024;
/** A document may be larger than any page: so many times a page's time. */
const DOCUMENT_PATIENCE = 4;
const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

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

/** RFC 9309, 2.3.1: what is not there allows everything; what cannot be reached allows nothing for now. */
async function fetchRobots(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { crawl, page } = request;
  const response = await services.egress.fetchTo(page.url, {
    ...limitsOf(services, request),
    // Read as far as it counts; the rest is not waited for.
    maxBytes: services.downloads.maxBytes,
    maxRedirects: 5,
  });
  const { status } = response;
  if (status === 429 || status >= 500) {
    await response.discard();
    throw new AppError('download_failed', `robots.txt cannot be read: the site answered ${status}.`);
  }
  const found = status >= 200 && status < 300;
  if (!found) await response.discard();
  const text = found ? (await collect(response, MAX_ROBOTS_BYTES, 'cut')).toString('utf8') : '';
  const robots = text.replaceAll('\0', '');
  const payload: PageTaskPayload = { kind: 'robots', rules: { origin: crawl.origin, robots } };
  const { sitemaps, delayS } = await services.pages.look(null, payload, request.signal).catch((error: unknown) => {
    if (!(error instanceof AppError) || isPassing(error)) throw error;
    throw new AppError('download_rejected', 'robots.txt cannot be read: it asks too much of who reads it.');
  });
  return { kind: 'robots', robots, sitemaps, delayMs: delayS === null ? null : Math.round(delayS * 1000) };
}

async function fetchSitemap(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { page, crawl } = request;
  const limits = { ...limitsOf(services, request), maxBytes: MAX_SITEMAP_BYTES };
  const bytes = await collect(await services.egress.download(page.url, limits), MAX_SITEMAP_BYTES, 'refuse');
  const payload: PageTaskPayload = { kind: 'sitemap', url: page.url, rules: rulesOf(crawl) };
  const { links, sitemaps } = await services.pages.look(bytes, payload, request.signal);
  return { kind: 'sitemap', links, sitemaps };
}

async function fetchDocument(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  if (request.page.is_start && !(await isAllowed(services, request))) {
    return { kind: 'skipped', reason: 'robots', links: [] };
  }
  const { page, known, signal } = request;
  const { pageTimeoutMs } = services.crawling;
  const late = new AbortController();
  const onLate = () => late.abort(tooSlow(pageTimeoutMs));
  let timer = setTimeout(onLate, pageTimeoutMs);
  try {
    const response = await services.egress.fetchTo(page.url, {
      ...limitsOf(services, request),
      totalTimeoutMs: pageTimeoutMs * DOCUMENT_PATIENCE,
      maxBytes: services.downloads.maxBytes,
      maxRedirects: 0,
      signal: AbortSignal.any([signal, late.signal]),
      headers: { ...headersOf(services), ...conditionsOf(known) },
    });
    const look = (answer: Answer, payload: PageTaskPayload) => services.pages.look(answer, payload, signal);
    const reading: Reading = { services, request, response, look: (answer, task) => looked(() => look(answer, task)) };
    const { status, headers } = response;
    const location = headers['location'];
    if (status === 304 && known) {
      await response.discard();
      return await readUnchanged(reading, known);
    }
    if (REDIRECTS.has(status) && location !== undefined) {
      await response.discard();
      return await readRedirect(reading, location);
    }
    if (status === 404 || status === 410) {
      await response.discard();
      return { kind: 'gone', message: `The page answered ${status}: it is not, or no longer, there.` };
    }
    await requireUsable(response);
    // Who does not say what it is serves a page, mostly.
    if (PAGE_TYPES.test(headers['content-type'] ?? 'text/html')) return await readPage(reading);
    clearTimeout(timer);
    timer = setTimeout(onLate, pageTimeoutMs * DOCUMENT_PATIENCE);
    return await readDocument(reading);
  } finally {
    clearTimeout(timer);
  }
}

/** Links were judged where they were found; the page to start from was not. */
async function isAllowed(services: WorkerServices, { crawl, page, signal }: PageRequest): Promise<boolean> {
  const task: PageTaskPayload = { kind: 'links', links: [page.url], url: page.url, rules: rulesOf(crawl) };
  const { links } = await services.pages.look(null, task, signal);
  return links.some((link) => link.isAllowed);
}

/** @throws AppError as a download does, for what is no success. */
async function requireUsable(response: FetchedResponse): Promise<void> {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return;
  await response.discard();
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    const seconds = Number(headers['retry-after']);
    const options = Number.isFinite(seconds) && seconds > 0 ? { retryAfterS: seconds } : {};
    throw new AppError('download_failed', `The page answered ${status}, which may pass.`, options);
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
async function readUnchanged({ services, request, response, look }: Reading, known: KnownPage): Promise<PageOutcome> {
  const { crawl, page } = request;
  const validators = {
    etag: response.headers['etag'] ?? known.etag,
    lastModified: response.headers['last-modified'] ?? known.last_modified,
  };
  if (known.type !== 'text/html' || known.content_hash === null) return { kind: 'unchanged', links: [], validators };
  const file = await services.blobs.checkOut(crawl.workspace_id, known.content_hash);
  try {
    const { links, isFollowable } = await look(file, {
      kind: 'page',
      url: page.url,
      charset: null,
      rules: rulesOf(crawl),
    });
    return { kind: 'unchanged', links: isFollowable ? links : [], validators };
  } finally {
    await file.release();
  }
}

/** An answer that cannot be looked into leads nowhere; whether it can be read is found out when it is ingested. */
async function looked(look: () => Promise<PageTaskValue>): Promise<PageTaskValue> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AppError) || isPassing(error)) throw error;
    return { links: [], sitemaps: [], canonical: null, isIndexable: true, isFollowable: true, delayS: null };
  }
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

function limitsOf(services: WorkerServices, { signal }: PageRequest) {
  const { pageTimeoutMs } = services.crawling;
  return { totalTimeoutMs: pageTimeoutMs, idleTimeoutMs: pageTimeoutMs, signal, headers: headersOf(services) };
}

function headersOf(services: WorkerServices): Record<string, string> {
  return { 'user-agent': services.crawling.userAgent, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
}

function tooSlow(timeoutMs: number): AppError {
  return new AppError('download_timeout', `The page took longer than the limit of ${timeoutMs / 1000} s.`);
}
