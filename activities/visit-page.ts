import type { Scope } from '../domain/scope.ts';
import type { CrawlPage } from '../store/crawl-pages.ts';
import type { Crawl } from '../store/crawls.ts';
import { hostOf, paceOf } from './crawl-pace.ts';
import { fetchPage } from './fetch-page.ts';
import type { PageOutcome } from './page-outcome.ts';
import { findKnown } from './take-page.ts';
import type { WorkerServices } from './worker-services.ts';
import { writePage } from './write-page.ts';

/** A slice at work. `crawl` is as it was after the last page that was written. */
export type Visit = {
  services: WorkerServices;
  scope: Scope;
  /** By which rows know that this slice may write. */
  slice: string;
  crawl: Crawl;
  signal: AbortSignal;
  /** The crawl was cancelled, paused or deleted, or another slice has taken over. */
  isLost?: boolean;
};

/** How often a page is asked for before it fails; robots.txt, without which nothing goes, and one that takes too long, apart. */
const TRIES = 3;
const ROBOTS_TRIES = 4;
const SLOW_TRIES = 2;
/** A page that so many attempts began and none ended is not begun again: workers die of it. */
const MAX_BEGUN = 5;
/** Waits between tries, in turns of the host: 5, 20, 80. */
const FIRST_WAIT = 5;
const WAIT_GROWTH = 4;
const LONGEST_WAIT_MS = 5 * 60_000;

/** Asks for a page and writes what it came to, in one transaction. Returns whether it counts towards the limit. */
export async function visitPage(visit: Visit, page: CrawlPage): Promise<boolean> {
  const { services, scope, crawl, signal } = visit;
  let isBegun = true;
  try {
    const known = page.kind === 'page' ? await findKnown(services.stores, scope, { crawl, page }) : null;
    const outcome =
      page.attempts > MAX_BEGUN
        ? DEADLY
        : withTries(visit, page, await fetchPage(services, { crawl, page, known, signal }));
    if (outcome.kind === 'again') {
      isBegun = false;
      await postpone(visit, page, outcome);
      return false;
    }
    const isTaken = await write(visit, page, outcome);
    isBegun = false;
    return isTaken;
  } finally {
    // Came back alive without a result: the attempt says nothing about the page.
    if (isBegun) await services.stores.crawlPages.forgive(scope, crawl.id, [page.url_hash]).catch(() => undefined);
  }
}

const DEADLY: Extract<PageOutcome, { kind: 'failed' }> = {
  kind: 'failed',
  code: 'repeated_crash',
  message: 'The worker died several times while fetching this page.',
};

/** A failure that may pass, as a lasting one when it was tried often enough. */
function withTries(visit: Visit, page: CrawlPage, outcome: PageOutcome): PageOutcome {
  if (outcome.kind !== 'again') return outcome;
  const { code, message } = outcome;
  const tries = page.kind === 'robots' ? ROBOTS_TRIES : code === 'download_timeout' ? SLOW_TRIES : TRIES;
  if (page.attempts >= tries) return { kind: 'failed', code, message };
  const growing = paceOf(visit) * FIRST_WAIT * WAIT_GROWTH ** (page.attempts - 1);
  return { ...outcome, afterMs: Math.min(Math.max(outcome.afterMs, growing), LONGEST_WAIT_MS) };
}

async function postpone(
  { services, scope, crawl }: Visit,
  page: CrawlPage,
  { code, afterMs }: Extract<PageOutcome, { kind: 'again' }>,
): Promise<void> {
  const { crawlPages, system } = services.stores;
  await crawlPages.postpone(scope, crawl.id, { urlHash: page.url_hash, forMs: afterMs, reason: code });
  // It said that it has too much to do: nobody asks it for anything meanwhile.
  if (code === 'download_failed')
    await system.restHost(hostOf(page.url), Math.min(afterMs, 2 * paceOf({ services, crawl })));
}

async function write(
  visit: Visit,
  page: CrawlPage,
  outcome: Exclude<PageOutcome, { kind: 'again' }>,
): Promise<boolean> {
  const { services, scope, slice } = visit;
  return services.stores.transaction(async (stores) => {
    const crawl = await stores.crawls.lockForSlice(scope, visit.crawl.id, slice);
    const status = crawl && (await stores.collections.lockForUpload(scope, crawl.collection_id));
    if (!crawl || status !== 'active') {
      visit.isLost = true;
      if (crawl) await stores.crawls.close(scope, crawl.id, `The collection is ${status ?? 'being deleted'}.`);
      return false;
    }
    const known = page.kind === 'page' ? await findKnown(stores, scope, { crawl, page }) : null;
    const isTaken = await writePage({ services: { ...services, stores }, scope, crawl, page, known }, outcome);
    const now = await stores.crawls.find(scope, crawl.id);
    if (now) visit.crawl = now;
    if (now?.paused === true) visit.isLost = true;
    return isTaken;
  });
}
