import type { FrontierLimits } from '#store/crawls/crawl-frontier.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Answers that lead nowhere (redirects, pages that are not to be taken) cost time too. */
const FETCHES_A_PAGE = 4;
const FIRST_FETCHES = 50;
/** Addresses of a frontier: enough for every page asked for, however many of them lead nowhere. */
const ADDRESSES_A_PAGE = 20;
const FIRST_ADDRESSES = 1_000;
/** Sitemaps of a crawl, those that others name included; large sites have one for every few hundred pages. */
const FIRST_SITEMAPS = 20;
const PAGES_A_SITEMAP = 100;

/** Answers that one crawl may ask for. Sitemaps, which come first, take nothing from its pages. */
export function mostFetches({ max_pages }: Pick<Crawl, 'max_pages'>): number {
  return FIRST_FETCHES + mostSitemaps({ max_pages }) + FETCHES_A_PAGE * max_pages;
}

export function mostSitemaps({ max_pages }: Pick<Crawl, 'max_pages'>): number {
  return FIRST_SITEMAPS + Math.ceil(max_pages / PAGES_A_SITEMAP);
}

export function frontierLimits(
  { crawling }: Pick<WorkerServices, 'crawling'>,
  { max_pages }: Pick<Crawl, 'max_pages'>,
): FrontierLimits {
  return { addresses: FIRST_ADDRESSES + ADDRESSES_A_PAGE * max_pages, queriesOfPath: crawling.queriesOfPath };
}
