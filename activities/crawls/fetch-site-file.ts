import { AppError } from '#domain/app-error.ts';
import { retryAfterS } from '#domain/retry-after.ts';
import type { PageTaskPayload } from '#providers/crawler/page-protocol.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import { takeTurn } from './crawl-pace.ts';
import { isPassing } from '#activities/failures.ts';
import type { PageOutcome } from './page-outcome.ts';
import { collect, isRedirect, requestOptions, rulesOf, type PageRequest } from './page-request.ts';
import { scopeOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** RFC 9309 wants 500 KiB of it read; what is beyond is left out. */
const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024;
/** RFC 9309, 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** Other crawls may be before this one at a host that it is led to. */
const REDIRECT_PATIENCE_MS = 60_000;
/** No site means a longer one, and a number has an end. */
const MAX_DELAY_S = 86_400;
const MAX_RETRY_AFTER_S = 3_600;

/** RFC 9309, 2.3.1: what is not there allows everything; what cannot be reached allows nothing for now. */
export async function fetchRobots(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { crawl, signal } = request;
  const robots = await readRobots(services, request);
  const start = await services.stores.crawlFrontier.findStart(scopeOf(crawl), crawl.id);
  const links = start ? [start.url] : [];
  const payload: PageTaskPayload = { kind: 'robots', links, rules: { origin: crawl.origin, robots } };
  const read = await services.pages.look(null, payload, signal).catch((error: unknown) => {
    if (!(error instanceof AppError) || isPassing(error)) throw error;
    throw new AppError('download_rejected', 'robots.txt cannot be read: it asks too much of who reads it.');
  });
  return {
    kind: 'robots',
    robots,
    sitemaps: read.sitemaps,
    delayMs: read.delayS === null ? null : Math.round(Math.min(read.delayS, MAX_DELAY_S) * 1000),
    isStartAllowed: read.links.every(({ isAllowed }) => isAllowed),
  };
}

async function readRobots(services: WorkerServices, request: PageRequest): Promise<string> {
  // Read as far as it counts; the rest is not waited for.
  const response = await fetchFile(services, request, services.downloads.maxBytes);
  if (response === null) return '';
  const { status } = response;
  if (status >= 200 && status < 300) {
    return (await collect(response, MAX_ROBOTS_BYTES, 'cut')).toString('utf8').replaceAll('\0', '');
  }
  await response.discard();
  if (status !== 429 && status < 500) return '';
  throw unreachable(services, response, `robots.txt cannot be read: the site answered ${status}.`);
}

/** @throws AppError for a sitemap that is not there, or too large. */
export async function fetchSitemap(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { page, crawl, signal } = request;
  const response = await fetchFile(services, request, MAX_SITEMAP_BYTES);
  const status = response?.status ?? 0;
  if (response === null || status < 200 || status >= 300) {
    await response?.discard();
    if (response && (status === 429 || status >= 500)) throw unreachable(services, response, `It answered ${status}.`);
    throw new AppError('download_rejected', 'There is no sitemap.');
  }
  const bytes = await collect(response, MAX_SITEMAP_BYTES, 'refuse');
  const payload: PageTaskPayload = { kind: 'sitemap', url: page.url, rules: rulesOf(crawl) };
  const { links, sitemaps } = await services.pages.look(bytes, payload, signal);
  return { kind: 'sitemap', links, sitemaps };
}

/** A file wherever it has moved to, each request in the turn of its host; null when it moves too often, or to no address. */
async function fetchFile(
  services: WorkerServices,
  request: PageRequest,
  maxBytes: number,
): Promise<FetchedResponse | null> {
  const { crawl, signal } = request;
  const options = { ...requestOptions(services, request), maxBytes, maxRedirects: 0 };
  let { url } = request.page;
  for (let redirects = 0; ; redirects += 1) {
    const response = await services.egress.fetchTo(url, options);
    if (!isRedirect(response)) return response;
    await response.discard();
    const target = URL.parse(response.headers['location'] ?? '', url);
    if (target === null || redirects === MAX_REDIRECTS) return null;
    url = target.href;
    const turn = await takeTurn({ services, crawl, signal }, { url, patienceMs: REDIRECT_PATIENCE_MS });
    if (!turn.isMine) throw new AppError('download_failed', 'Others ask the host too; its turns are taken.');
  }
}

/** An answer that is to be asked for again, as late as the site wants. */
export function unreachable({ clock }: WorkerServices, { headers }: FetchedResponse, message: string): AppError {
  const seconds = retryAfterS(headers['retry-after'], { nowMs: clock.now().getTime(), maxS: MAX_RETRY_AFTER_S });
  return new AppError('download_failed', message, seconds === null ? {} : { retryAfterS: seconds });
}
