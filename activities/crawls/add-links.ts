import { queriedPathHash, urlHash } from '#domain/crawls/crawl-url.ts';
import type { Link } from '#providers/crawler/page-task.ts';
import type { FoundPage, FrontierLimits } from '#store/crawls/crawl-frontier.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { LockedPage } from './lock-known-page.ts';
import type { FoundLinks } from './page-request.ts';

/** Links of one page that robots.txt disallows get a row each, up to this number. */
const MAX_DISALLOWED = 50;
/** Requests that yield no page (redirects, skipped pages) are limited too: this many for each requested page, plus a base. */
const REQUESTS_PER_PAGE = 4;
const BASE_REQUESTS = 50;
/** Size of a frontier: enough to find every requested page even when most URLs yield none. */
const ADDRESSES_PER_PAGE = 20;
const BASE_ADDRESSES = 1_000;
/** Sitemaps of a crawl, including those that sitemap indexes name. Large sites have one for every few hundred pages. */
const BASE_SITEMAPS = 20;
const PAGES_PER_SITEMAP = 100;

/** Adds the links of a page or sitemap to the frontier, up to the crawl's depth. */
export async function addLinks(
  locked: LockedPage,
  { links, isCut }: FoundLinks,
  contentId: string | null,
): Promise<void> {
  const { services, scope, crawl, page } = locked;
  const depth = page.depth + 1;
  if (depth > crawl.max_depth) return;
  if (isCut) await services.stores.crawls.markIncomplete(scope, crawl.id);
  const isSitemap = page.kind === 'sitemap';
  const foundOn = contentId ?? page.content_id ?? page.found_on ?? (isSitemap ? crawl.start_content_id : null);
  const disallowed = links.filter(({ isAllowed }) => !isAllowed).slice(0, MAX_DISALLOWED);
  const pages: FoundPage[] = [
    ...links.filter(({ isAllowed }) => isAllowed).map(toFoundPage),
    ...disallowed.map((link) => ({ ...toFoundPage(link), reason: 'robots' as const })),
  ];
  const placement = { kind: 'page', depth, hops: 0, foundOn } as const;
  await services.stores.crawlFrontier.add(scope, crawl, { pages, placement, limits: frontierLimits(services, crawl) });
}

/** Adds sitemaps to the frontier, up to the crawl's limit. `hops` is 1 for those that a sitemap index names. */
export async function addSitemaps(
  { services, scope, crawl }: LockedPage,
  sitemaps: readonly Link[],
  hops: number,
): Promise<void> {
  const { crawlFrontier, crawls } = services.stores;
  const room = maxSitemaps(crawl) - (await crawlFrontier.countSitemaps(scope, crawl.id));
  const allowed = sitemaps.filter(({ isAllowed }) => isAllowed);
  const pages = allowed.slice(0, Math.max(room, 0)).map(toFoundPage);
  if (pages.length < allowed.length) await crawls.markIncomplete(scope, crawl.id);
  const placement = { kind: 'sitemap', depth: 0, hops, foundOn: null } as const;
  await crawlFrontier.add(scope, crawl, { pages, placement, limits: frontierLimits(services, crawl) });
}

export function toFoundPage(link: { url: string; identity: string }): FoundPage {
  const { url, identity } = link;
  return { url, urlHash: urlHash(identity), pathHash: queriedPathHash({ url, identity }), reason: null };
}

/** Returns the most requests of a crawl. Those for sitemaps, which come first, do not reduce those for pages. */
export function maxRequests({ max_pages }: Pick<Crawl, 'max_pages'>): number {
  return BASE_REQUESTS + maxSitemaps({ max_pages }) + REQUESTS_PER_PAGE * max_pages;
}

function maxSitemaps({ max_pages }: Pick<Crawl, 'max_pages'>): number {
  return BASE_SITEMAPS + Math.ceil(max_pages / PAGES_PER_SITEMAP);
}

export function frontierLimits(
  { crawling }: Pick<WorkerServices, 'crawling'>,
  { max_pages }: Pick<Crawl, 'max_pages'>,
): FrontierLimits {
  return { addresses: BASE_ADDRESSES + ADDRESSES_PER_PAGE * max_pages, queriesOfPath: crawling.queriesOfPath };
}
