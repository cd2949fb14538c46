import { AppError } from '#domain/app-error.ts';
import { redirectTarget } from '#domain/crawls/crawl-url.ts';
import type { PageTask } from '#providers/crawler/page-task.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import { isPassing } from '#activities/failures.ts';
import { frontierLimits } from './add-links.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import {
  isRedirect,
  limitBytes,
  readStart,
  requestOptions,
  responseFileOf,
  retryableDownloadError,
  siteRulesOf,
  type PageOutcome,
  type PageRequest,
} from './page-request.ts';
import { maxFollowUpWaitMs, PostponedRequestError, waitForRequestSlot } from './wait-for-request-slot.ts';

/** RFC 9309 requires at least 500 KiB; the rest of a longer file is ignored. */
const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024;
/** RFC 9309, 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** Upper bound of `Crawl-delay`: longer values are mistakes, and the number must stay finite. */
const MAX_DELAY_S = 86_400;

/** Fetches the robots.txt or a sitemap of a site. @throws AppError when the file cannot be fetched or read. */
export function fetchSiteFile(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  return request.page.kind === 'robots' ? fetchRobots(services, request) : fetchSitemap(services, request);
}

/** RFC 9309, 2.3.1: a missing robots.txt allows everything; one that cannot be reached allows nothing until it can. */
async function fetchRobots(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { crawl, signal } = request;
  const robots = await readRobots(services, request);
  const start = await services.stores.crawlFrontier.findStart(collectionScope(crawl), crawl.id);
  const links = start ? [start.url] : [];
  const payload: PageTask = { kind: 'robots', links, rules: { origin: crawl.origin, robots } };
  const read = await services.pages
    .inspect(null, payload, { signal, share: crawl.workspace_id })
    .catch((error: unknown) => {
      if (!(error instanceof AppError) || isPassing(error)) throw error;
      throw new AppError('download_rejected', 'robots.txt cannot be read: it is too expensive to evaluate.');
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
  // Only the first MAX_ROBOTS_BYTES are read, so the file itself may be much larger.
  const response = await fetchFile(services, request, services.downloads.maxBytes);
  if (response === null) return '';
  const { status } = response;
  if (status >= 200 && status < 300) {
    return (await readStart(response, MAX_ROBOTS_BYTES)).toString('utf8').replaceAll('\0', '');
  }
  await response.discard();
  if (status !== 429 && status < 500) return '';
  throw retryableDownloadError(services, response, `robots.txt cannot be read: the site answered ${status}.`);
}

async function fetchSitemap(services: WorkerServices, request: PageRequest): Promise<PageOutcome> {
  const { page, crawl, signal } = request;
  const response = await fetchFile(services, request, MAX_SITEMAP_BYTES);
  const status = response?.status ?? 0;
  if (response === null || status < 200 || status >= 300) {
    await response?.discard();
    if (response && (status === 429 || status >= 500)) {
      throw retryableDownloadError(services, response, `The site answered the request for a sitemap with ${status}.`);
    }
    throw new AppError('download_rejected', 'There is no sitemap.');
  }
  // In a file: a hundred of them may wait for the process that reads them.
  const bytes = limitBytes(response.body, MAX_SITEMAP_BYTES);
  await using blob = await services.blobs.spool(bytes, MAX_SITEMAP_BYTES);
  const file = await responseFileOf(blob);
  // The largest sitemaps hold up the worker: what the frontier has no room for is not even received.
  const most = frontierLimits(services, crawl).addresses;
  const payload: PageTask = { kind: 'sitemap', url: page.url, most, rules: siteRulesOf(crawl) };
  const found = await services.pages.inspect(file, payload, { signal, share: crawl.workspace_id });
  return { kind: 'sitemap', links: found.links, isCut: found.isCut, sitemaps: found.sitemaps };
}

/**
 * Fetches a file and follows its redirects; every request waits for a slot of its host. Returns null when there are too many
 * redirects, or when one has no valid target.
 * @throws PostponedRequestError when the target of a redirect is to be requested later
 */
async function fetchFile(
  services: WorkerServices,
  request: PageRequest,
  maxBytes: number,
): Promise<FetchedResponse | null> {
  const { crawl, signal } = request;
  const options = { ...requestOptions(services, request), maxBytes, maxRedirects: 0 };
  let { url } = request.page;
  let waitedMs = 0;
  for (let redirects = 0; ; redirects += 1) {
    const response = await services.egress.fetchTo(url, options);
    if (!isRedirect(response)) return response;
    await response.discard();
    const target = redirectTarget(response.headers['location'] ?? '', url);
    if (target === null || redirects === MAX_REDIRECTS) return null;
    url = target;
    const maxWaitMs = maxFollowUpWaitMs({ services, crawl }, url, waitedMs);
    const slot = await waitForRequestSlot({ services, crawl, signal }, { url, maxWaitMs });
    if (!slot.isReserved) throw new PostponedRequestError(url, slot.waitMs);
    waitedMs += slot.waitMs;
  }
}
