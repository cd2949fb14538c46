import { assertNever, type ErrorCode } from '#domain/app-error.ts';
import { crawlUrl } from '#domain/crawls/crawl-url.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { Link } from '#providers/crawler/page-task.ts';
import type { KnownPage, PageEnd } from '#store/crawls/crawl-pages.ts';
import { addLinks, addSitemaps, frontierLimits, toFoundPage } from './add-links.ts';
import { failPage } from './fail-page.ts';
import { followRedirect, MAX_HOPS } from './follow-redirect.ts';
import { lockKnownPage, type LockedPage } from './lock-known-page.ts';
import type { FinalOutcome } from './page-request.ts';
import { savePage, saveUnchangedPage } from './save-page.ts';
import { DISALLOWED_BY_ROBOTS, skipPage } from './skip-page.ts';

/** A page that was requested. `before` is its stored version at the time of the request. */
type RequestedPage = Omit<LockedPage, 'known' | 'isDeleted'> & { before: KnownPage | null };

/** Writes the outcome of a request in the caller's transaction. Returns whether the page counts towards `max_pages`. */
export async function writePage(requested: RequestedPage, outcome: FinalOutcome): Promise<boolean> {
  // Blobs are locked before runs, in the same order as uploads do it.
  if (outcome.kind === 'document') await retainBlobs(requested.services, requested.scope, [outcome.blob]);
  const isPage = requested.page.kind === 'page';
  const stored = isPage
    ? await lockKnownPage(requested.services.stores, requested.scope, requested)
    : { known: null, isDeleted: false, isTakenOver: false };
  // Asked whether another page had changed, the site said no: this page waits to be requested on its own account.
  if (outcome.kind === 'unchanged' && stored.isTakenOver) return false;
  const locked: LockedPage = { ...requested, ...stored };
  const end = await applyOutcome(locked, outcome);
  if (end === null) return false;
  const isTaken = isPage && end.state !== 'skipped';
  const { services, scope, crawl, page } = locked;
  await services.stores.crawlPages.end(scope, crawl.id, { urlHash: page.url_hash, isTaken, end });
  if ('links' in outcome) await addLinks(locked, outcome, end.contentId ?? null);
  return isTaken;
}

/** Applies the outcome. Null: the page is to be requested again. */
async function applyOutcome(locked: LockedPage, outcome: FinalOutcome): Promise<PageEnd | null> {
  const { page, isDeleted } = locked;
  // A deleted content is not created again.
  if (isDeleted) return { state: 'skipped', reason: 'deleted' };
  switch (outcome.kind) {
    case 'robots':
      return saveRobots(locked, outcome);
    case 'sitemap':
      // A sitemap index names sitemaps. An index that names further indexes is not followed: it may be circular.
      if (page.hops === 0) await addSitemaps(locked, outcome.sitemaps, 1);
      else if (outcome.sitemaps.length > 0) await markIncomplete(locked);
      return { state: 'fetched' };
    case 'document':
      return (await yieldToCanonical(locked, outcome.canonical)) ?? savePage(locked, outcome);
    case 'unchanged':
      return saveUnchangedPage(locked, outcome);
    case 'redirect':
      return followRedirect(locked, outcome);
    case 'skipped':
      return skipPage(locked, outcome.reason);
    case 'gone':
    case 'failed':
      return failRequest(locked, outcome);
    default:
      return assertNever(outcome);
  }
}

function markIncomplete({ services, scope, crawl }: LockedPage): Promise<void> {
  return services.stores.crawls.markIncomplete(scope, crawl.id);
}

async function saveRobots(
  locked: LockedPage,
  { robots, delayMs, sitemaps, isStartAllowed }: Extract<FinalOutcome, { kind: 'robots' }>,
): Promise<PageEnd> {
  const { services, scope, crawl } = locked;
  await services.stores.crawls.saveRobots(scope, crawl.id, { origin: crawl.origin, robots, delayMs });
  if (!isStartAllowed) await failStart(locked, { code: 'crawl_refused', message: DISALLOWED_BY_ROBOTS });
  else if (crawl.max_depth > 0) {
    const usual = crawlUrl('/sitemap.xml', crawl.origin);
    const all = sitemaps.length === 0 && usual ? [{ ...usual, isAllowed: true }] : sitemaps;
    await addSitemaps(locked, all, 0);
  }
  return { state: 'fetched' };
}

async function failRequest(
  locked: LockedPage,
  outcome: Extract<FinalOutcome, { kind: 'gone' | 'failed' }>,
): Promise<PageEnd> {
  const { page, known } = locked;
  const code = outcome.kind === 'gone' ? 'download_rejected' : outcome.code;
  const { message } = outcome;
  if (page.kind === 'page') {
    // Pages to which only this one led are not found, and may still be there. One that fails again has led to none since.
    const wasFetched = known?.seen_state === 'fetched' || known?.seen_state === 'unchanged';
    const hidesLinks = outcome.kind === 'failed' && known?.type === 'text/html' && wasFetched;
    if (hidesLinks) await markIncomplete(locked);
    return failPage(locked, { state: outcome.kind, code, message });
  }
  // A refused or rejected address: there is no such file.
  const isAddressRefused = code === 'download_refused' || code === 'download_rejected';
  if (page.kind === 'sitemap') {
    if (isAddressRefused) return { state: 'skipped' };
    await markIncomplete(locked);
    return { state: 'skipped', reason: 'sitemap' };
  }
  const rule = 'A site whose robots.txt cannot be read is not crawled (RFC 9309). Upload the URL again later.';
  await failStart(
    locked,
    // It says nothing about the rules of the site, so its own code is kept.
    isAddressRefused ? { code, message } : { code: 'crawl_refused', message: `${message} ${rule}` },
  );
  return { state: 'skipped', reason: 'robots' };
}

/** Fails the start page, and with it the crawl. */
async function failStart(locked: LockedPage, failure: { code: ErrorCode; message: string }): Promise<void> {
  const { services, scope, crawl } = locked;
  const { stores } = services;
  const page = await stores.crawlFrontier.findStart(scope, crawl.id);
  if (!page) return;
  const stored = await lockKnownPage(stores, scope, { crawl, page, before: null });
  const end: PageEnd = stored.isDeleted
    ? { state: 'skipped', reason: 'deleted' }
    : await failPage({ ...locked, page, ...stored }, { state: 'failed', ...failure });
  await stores.crawlPages.end(scope, crawl.id, { urlHash: page.url_hash, isTaken: !stored.isDeleted, end });
}

/**
 * Skips a page that names another one as the original, unless that one was skipped or failed before. The start page is kept,
 * because the user asked for it; its canonical URL is recorded as skipped.
 */
async function yieldToCanonical(locked: LockedPage, canonical: Link | null): Promise<PageEnd | null> {
  const { services, scope, crawl, page, known } = locked;
  if (canonical === null || !canonical.isAllowed) return null;
  const original = toFoundPage(canonical);
  if (original.urlHash === page.url_hash) return null;
  const { crawlFrontier } = services.stores;
  const found = { depth: page.depth, hops: page.hops + 1, foundOn: page.found_on, kind: 'page' } as const;
  const limits = frontierLimits(services, crawl);
  if (page.is_start) {
    const placement = { ...found, contentId: known?.content_id ?? page.content_id };
    await crawlFrontier.add(scope, crawl, { pages: [{ ...original, reason: 'canonical' }], placement, limits });
    return null;
  }
  const present = await crawlFrontier.findState(scope, crawl.id, original.urlHash);
  const isLost = present !== null && ['failed', 'gone', 'skipped'].includes(present.state);
  if (isLost || page.hops >= MAX_HOPS) return null;
  const isAdded =
    present !== null || (await crawlFrontier.add(scope, crawl, { pages: [original], placement: found, limits })) > 0;
  return isAdded ? { state: 'skipped', reason: 'canonical', yieldsTo: original.urlHash } : null;
}
