import { assertNever } from '#domain/app-error.ts';
import { crawlUrl, isSameSite, queriedPathHash, urlHash } from '#domain/crawls/crawl-url.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { Link } from '#providers/crawler/page-protocol.ts';
import type { FoundPage } from '#store/crawls/crawl-frontier.ts';
import type { KnownPage, PageEnd } from '#store/crawls/crawl-pages.ts';
import { frontierLimits, mostSitemaps } from './crawl-limits.ts';
import type { PageOutcome } from './page-outcome.ts';
import { failPage, holdKnown, savePage, saveUnchangedPage, type Writing } from './save-page.ts';

const MAX_HOPS = 5;
/** Of one page; more that robots.txt does not allow are not worth a row. */
const MAX_DISALLOWED = 50;

const REFUSALS: Readonly<Record<string, string>> = {
  robots: 'The robots.txt of the site does not allow this page to be crawled.',
  noindex: 'The page asks robots not to take it (noindex).',
};

/** A page that was asked for. `before` is what the collection had of it when it was. */
type Asked = Omit<Writing, 'known' | 'isDeleted'> & { before: KnownPage | null };

/** Writes what asking for a page came to. Returns whether the page counts towards the limit. */
export async function writePage(asked: Asked, outcome: Exclude<PageOutcome, { kind: 'again' }>): Promise<boolean> {
  // Before the runs, as uploads do.
  if (outcome.kind === 'document') await retainBlobs(asked.services, asked.scope, [outcome.blob]);
  const isPage = asked.page.kind === 'page';
  const held = isPage ? await holdKnown(asked.services.stores, asked.scope, asked) : { known: null, isDeleted: false };
  const writing: Writing = { ...asked, ...held };
  const end = await endOf(writing, outcome);
  const isTaken = writing.page.kind === 'page' && end.state !== 'skipped';
  const { services, scope, crawl, page } = writing;
  await services.stores.crawlPages.end(scope, crawl.id, { urlHash: page.url_hash, isTaken, end });
  if ('links' in outcome) await addLinks(writing, outcome.links, end.contentId ?? null);
  return isTaken;
}

async function endOf(writing: Writing, outcome: Exclude<PageOutcome, { kind: 'again' }>): Promise<PageEnd> {
  const { page, isDeleted } = writing;
  // What was deleted does not come back by itself.
  if (isDeleted) return { state: 'skipped', reason: 'deleted' };
  switch (outcome.kind) {
    case 'robots':
      return noteRobots(writing, outcome);
    case 'sitemap':
      // An index names sitemaps; one that names indexes goes in circles.
      if (page.hops === 0) await addSitemaps(writing, outcome.sitemaps, 1);
      return { state: 'fetched' };
    case 'document':
      return (await yieldToCanonical(writing, outcome.canonical)) ?? savePage(writing, outcome);
    case 'unchanged':
      return saveUnchangedPage(writing, outcome);
    case 'redirect':
      return followRedirect(writing, outcome);
    case 'skipped':
      return skip(writing, outcome.reason);
    case 'gone':
    case 'failed':
      return fail(writing, outcome);
    default:
      return assertNever(outcome);
  }
}

async function noteRobots(
  writing: Writing,
  { robots, delayMs, sitemaps, isStartAllowed }: Extract<PageOutcome, { kind: 'robots' }>,
): Promise<PageEnd> {
  const { services, scope, crawl } = writing;
  await services.stores.crawls.noteRobots(scope, crawl.id, { origin: crawl.origin, robots, delayMs });
  if (!isStartAllowed) await failStart(writing, { code: 'crawl_refused', message: REFUSALS['robots'] ?? '' });
  else if (crawl.max_depth > 0) {
    const usual = crawlUrl('/sitemap.xml', crawl.origin);
    const all = sitemaps.length === 0 && usual ? [{ ...usual, isAllowed: true }] : sitemaps;
    await addSitemaps(writing, all, 0);
  }
  return { state: 'fetched' };
}

async function addSitemaps(
  { services, scope, crawl }: Writing,
  sitemaps: readonly Link[],
  hops: number,
): Promise<void> {
  const { crawlFrontier } = services.stores;
  const room = mostSitemaps(crawl) - (await crawlFrontier.countSitemaps(scope, crawl.id));
  const allowed = sitemaps.filter(({ isAllowed }) => isAllowed);
  const pages = allowed.slice(0, Math.max(room, 0)).map(toFound);
  const as = { kind: 'sitemap', depth: 0, hops, foundOn: null } as const;
  await crawlFrontier.add(scope, crawl, { pages, as, limits: frontierLimits(services, crawl) });
}

/** What robots.txt, or the page itself, keeps from being taken. Whoever asked for this very page is told. */
async function skip(writing: Writing, reason: string): Promise<PageEnd> {
  const { page } = writing;
  if (page.kind !== 'page' || !page.is_start) return { state: 'skipped', reason };
  const refusal = REFUSALS[reason];
  if (refusal) return failPage(writing, { state: 'failed', code: 'crawl_refused', message: refusal });
  const message = reason === 'empty' ? 'The page is empty.' : 'The page is of a type that is not taken by a crawl.';
  return failPage(writing, { state: 'failed', code: reason === 'empty' ? 'empty_file' : 'unsupported_type', message });
}

async function fail(writing: Writing, outcome: Extract<PageOutcome, { kind: 'gone' | 'failed' }>): Promise<PageEnd> {
  const { page } = writing;
  const code = outcome.kind === 'gone' ? 'download_rejected' : outcome.code;
  const { message } = outcome;
  if (page.kind === 'page') return failPage(writing, { state: outcome.kind, code, message });
  if (page.kind === 'sitemap') return { state: 'skipped', reason: 'sitemap' };
  // An address that cannot be reached at all has nothing to do with what the site wants.
  const isOut = code === 'download_refused' || code === 'download_rejected';
  const rule = 'A site whose robots.txt cannot be read is not crawled (RFC 9309). Upload the URL again later.';
  await failStart(writing, isOut ? { code, message } : { code: 'crawl_refused', message: `${message} ${rule}` });
  return { state: 'skipped', reason: 'robots' };
}

/** The page to start from fails, and with it the crawl. */
async function failStart(writing: Writing, failure: { code: string; message: string }): Promise<void> {
  const { services, scope, crawl } = writing;
  const { stores } = services;
  const page = await stores.crawlFrontier.findStart(scope, crawl.id);
  if (!page) return;
  const held = await holdKnown(stores, scope, { crawl, page, before: null });
  const end: PageEnd = held.isDeleted
    ? { state: 'skipped', reason: 'deleted' }
    : await failPage({ ...writing, page, ...held }, { state: 'failed', ...failure });
  await stores.crawlPages.end(scope, crawl.id, { urlHash: page.url_hash, isTaken: !held.isDeleted, end });
}

/**
 * A page that names another one as the original leaves the place to it, unless that one came to nothing before. The page to
 * start from stays: it was asked for; its other name is known then.
 */
async function yieldToCanonical(writing: Writing, canonical: Link | null): Promise<PageEnd | null> {
  const { services, scope, crawl, page, known } = writing;
  if (canonical === null || !canonical.isAllowed) return null;
  const other = toFound(canonical);
  if (other.urlHash === page.url_hash) return null;
  const { crawlFrontier } = services.stores;
  const found = { depth: page.depth, hops: page.hops + 1, foundOn: page.found_on, kind: 'page' } as const;
  const limits = frontierLimits(services, crawl);
  if (page.is_start) {
    const as = { ...found, contentId: known?.content_id ?? page.content_id };
    await crawlFrontier.add(scope, crawl, { pages: [{ ...other, reason: 'canonical' }], as, limits });
    return null;
  }
  const there = await crawlFrontier.stateOf(scope, crawl.id, other.urlHash);
  const isLost = there !== null && ['failed', 'gone', 'skipped'].includes(there.state);
  if (isLost || page.hops >= MAX_HOPS) return null;
  if (!there && (await crawlFrontier.add(scope, crawl, { pages: [other], as: found, limits })) === 0) return null;
  return { state: 'skipped', reason: 'canonical', yieldsTo: other.urlHash };
}

async function followRedirect(
  writing: Writing,
  { to, address }: Extract<PageOutcome, { kind: 'redirect' }>,
): Promise<PageEnd> {
  const { services, scope, crawl, page } = writing;
  const { crawlFrontier, crawls } = services.stores;
  const refuse = (reason: string, message: string): PageEnd | Promise<PageEnd> =>
    page.is_start
      ? failPage(writing, { state: 'failed', code: 'download_rejected', message })
      : { state: 'skipped', reason };
  if (page.hops >= MAX_HOPS) return refuse('redirects', `The page redirects more than ${MAX_HOPS} times.`);
  const limits = frontierLimits(services, crawl);
  const { is_start: isStart, content_id: contentId } = page;
  const as = {
    kind: 'page',
    depth: page.depth,
    hops: page.hops + 1,
    foundOn: page.found_on,
    isStart,
    contentId,
  } as const;
  const target = to ?? crawlUrl(address);
  if (to === null) {
    const moved = URL.parse(address);
    if (!isStart || !target || !moved || !isSameSite(new URL(page.url), moved)) {
      return refuse('off_site', 'The page leads to another site: give the address there.');
    }
    // The site under its other name: from here on that is the origin, with rules of its own.
    await crawls.noteRobots(scope, crawl.id, { origin: moved.origin, robots: null, delayMs: null });
    await crawlFrontier.askRobots(scope, crawl.id, `${moved.origin}/robots.txt`);
  } else if (!to.isAllowed) return isStart ? skip(writing, 'robots') : { state: 'skipped', reason: 'robots' };
  const added = target === null ? 0 : await crawlFrontier.add(scope, crawl, { pages: [toFound(target)], as, limits });
  if (added === 0 && isStart) return refuse('redirect', 'The page redirects in a circle.');
  return { state: 'skipped', reason: 'redirect' };
}

async function addLinks(writing: Writing, links: readonly Link[], contentId: string | null): Promise<void> {
  const { services, scope, crawl, page } = writing;
  const depth = page.depth + 1;
  if (depth > crawl.max_depth) return;
  const isSitemap = page.kind === 'sitemap';
  const foundOn = contentId ?? page.content_id ?? page.found_on ?? (isSitemap ? crawl.start_content_id : null);
  const disallowed = links.filter(({ isAllowed }) => !isAllowed).slice(0, MAX_DISALLOWED);
  const pages = [
    ...links.filter(({ isAllowed }) => isAllowed).map(toFound),
    ...disallowed.map((link) => ({ ...toFound(link), reason: 'robots' })),
  ];
  const as = { kind: 'page', depth, hops: 0, foundOn } as const;
  await services.stores.crawlFrontier.add(scope, crawl, { pages, as, limits: frontierLimits(services, crawl) });
}

function toFound(link: { url: string; identity: string }): FoundPage {
  const { url, identity } = link;
  return { url, urlHash: urlHash(identity), pathHash: queriedPathHash({ url, identity }), reason: null };
}
