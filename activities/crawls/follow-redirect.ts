import type { SkipReason } from '#domain/crawls/crawl-reasons.ts';
import { crawlUrl, isSameSite, type CrawlUrl } from '#domain/crawls/crawl-url.ts';
import type { PageEnd } from '#store/crawls/crawl-pages.ts';
import { frontierLimits, toFoundPage } from './add-links.ts';
import { failPage } from './fail-page.ts';
import type { LockedPage } from './lock-known-page.ts';
import type { FinalOutcome } from './page-request.ts';
import { skipPage } from './skip-page.ts';

/** Redirects and canonical links that are followed from one URL to the next. */
export const MAX_HOPS = 5;

/**
 * Adds the target of a redirect to the frontier, where it takes the place of the page. Returns null for a target that is the same page
 * by another spelling of its URL, which is requested next.
 */
export async function followRedirect(
  locked: LockedPage,
  { to, address }: Extract<FinalOutcome, { kind: 'redirect' }>,
): Promise<PageEnd | null> {
  const { services, scope, crawl, page } = locked;
  const { crawlFrontier } = services.stores;
  if (page.hops >= MAX_HOPS) return refuse(locked, 'redirects', `The page redirects more than ${MAX_HOPS} times.`);
  if (to !== null && !to.isAllowed) return skipPage(locked, 'robots');
  const target = to ?? (await moveToOtherName(locked, address));
  if (target === null)
    return refuse(locked, 'off_site', 'The page redirects to another site: upload that URL instead.');
  const found = toFoundPage(target);
  if (found.urlHash === page.url_hash && target.url !== page.url) {
    await crawlFrontier.respell(scope, crawl.id, { urlHash: page.url_hash, url: target.url });
    return null;
  }
  if (page.is_start) return moveStart(locked, target);
  const placement = { ...placementOf(locked), contentId: page.content_id };
  const limits = frontierLimits(services, crawl);
  await crawlFrontier.add(scope, crawl, { pages: [found], placement, limits });
  return { state: 'skipped', reason: 'redirect' };
}

/** Makes the target of a redirect the start page, also when the crawl knows it as a page, e.g. from a sitemap. */
async function moveStart(locked: LockedPage, target: CrawlUrl): Promise<PageEnd> {
  const { services, scope, crawl, page } = locked;
  const { crawlFrontier } = services.stores;
  // It has room even when a sitemap has filled the frontier.
  const found = { ...toFoundPage(target), pathHash: null };
  const usual = frontierLimits(services, crawl);
  const limits = { ...usual, addresses: usual.addresses + MAX_HOPS };
  const placement = { ...placementOf(locked), isStart: true, contentId: page.content_id };
  const isFollowed =
    found.urlHash !== page.url_hash &&
    ((await crawlFrontier.add(scope, crawl, { pages: [found], placement, limits })) > 0 ||
      (await crawlFrontier.makeStart(scope, crawl.id, { urlHash: found.urlHash, ...placement })));
  return isFollowed
    ? { state: 'skipped', reason: 'redirect' }
    : refuse(locked, 'redirect', 'The page redirects in a circle.');
}

function placementOf({ page }: LockedPage) {
  return { kind: 'page', depth: page.depth, hops: page.hops + 1, foundOn: page.found_on } as const;
}

/**
 * Moves the crawl to another name of its site, to which the start page redirects; that one has a robots.txt of its own. Returns the
 * target, or null when this is another site.
 */
async function moveToOtherName(
  { services, scope, crawl, page }: LockedPage,
  address: string,
): Promise<CrawlUrl | null> {
  const target = crawlUrl(address);
  const moved = URL.parse(address);
  if (!page.is_start || !target || !moved || !isSameSite(new URL(page.url), moved)) return null;
  const { crawlFrontier, crawls } = services.stores;
  await crawls.saveRobots(scope, crawl.id, { origin: moved.origin, robots: null, delayMs: null });
  await crawlFrontier.requeueRobots(scope, crawl.id, `${moved.origin}/robots.txt`);
  return target;
}

function refuse(locked: LockedPage, reason: SkipReason, message: string): PageEnd | Promise<PageEnd> {
  if (!locked.page.is_start) return { state: 'skipped', reason };
  return failPage(locked, { state: 'failed', code: 'download_rejected', message });
}
