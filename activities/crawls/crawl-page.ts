import type { Scope } from '#domain/access/scope.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import { hostOf, paceOf } from './crawl-pace.ts';
import { isPassing } from '#activities/failures.ts';
import { fetchPage } from './fetch-page.ts';
import type { PageOutcome } from './page-outcome.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { writePage } from './write-page.ts';

/** A slice at work. `crawl` is as it was after the last page that was written. */
export type PageVisit = {
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
/** Turns that a host is left alone for after it failed. */
const REST = 2;
const LONGEST_WAIT_MS = 5 * 60_000;

/** Asks for a page, whose turn it is, and writes what it came to, in one transaction. Returns whether it counts towards the limit. */
export async function crawlPage(
  visit: PageVisit,
  next: { page: CrawlPage; known: KnownPage | null },
): Promise<boolean> {
  const { services, scope, crawl, signal } = visit;
  const { page } = next;
  let isBegun = true;
  try {
    const fetched =
      page.attempts > MAX_BEGUN
        ? DEADLY
        : await unlessUnforeseen(visit, () => fetchPage(services, { crawl, ...next, signal }));
    if (fetched.kind === 'again' && !isLastTry(page, fetched)) {
      isBegun = false;
      await postpone(visit, page, fetched);
      return false;
    }
    const outcome: Lasting = fetched.kind === 'again' ? { ...fetched, kind: 'failed' } : fetched;
    const isTaken = await unlessUnforeseen(visit, () => write(visit, next, outcome));
    isBegun = false;
    return typeof isTaken === 'boolean' ? isTaken : await write(visit, next, isTaken);
  } finally {
    // Came back alive without a result: the attempt says nothing about the page.
    if (isBegun) await services.stores.crawlPages.forgive(scope, crawl.id, [page.url_hash]).catch(() => undefined);
  }
}

type Lasting = Exclude<PageOutcome, { kind: 'again' }>;
type Failed = Extract<PageOutcome, { kind: 'failed' }>;

/** A page that brings out what nobody foresaw fails alone, and the crawl goes on. */
async function unlessUnforeseen<Result>(
  { services: { log }, crawl, signal }: PageVisit,
  work: () => Promise<Result>,
): Promise<Result | Failed> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || isPassing(error)) throw error;
    log.error({ error, upload_id: crawl.upload_id, workspace_id: crawl.workspace_id }, 'a page of a crawl failed');
    return {
      kind: 'failed',
      code: 'download_failed',
      message: 'The page failed unexpectedly; upload its URL to try again.',
    };
  }
}

const DEADLY: Failed = {
  kind: 'failed',
  code: 'repeated_crash',
  message: 'The worker died several times while fetching this page.',
};

function isLastTry(page: CrawlPage, { code }: Passing): boolean {
  const tries = page.kind === 'robots' ? ROBOTS_TRIES : code === 'download_timeout' ? SLOW_TRIES : TRIES;
  return page.attempts >= tries;
}

type Passing = Extract<PageOutcome, { kind: 'again' }>;

async function postpone(
  { services, scope, crawl }: PageVisit,
  page: CrawlPage,
  { code, afterMs }: Passing,
): Promise<void> {
  const { crawlPages, system } = services.stores;
  const paceMs = paceOf({ services, crawl });
  const growingMs = paceMs * FIRST_WAIT * WAIT_GROWTH ** (page.attempts - 1);
  const forMs = Math.min(Math.max(afterMs, growingMs), LONGEST_WAIT_MS);
  await crawlPages.postpone(scope, crawl.id, { urlHash: page.url_hash, forMs, reason: code });
  if (code !== 'download_failed') return;
  // It has too much to do: nobody asks it for anything meanwhile, as long as it says, as far as it may say so.
  const restMs = afterMs > 0 ? Math.min(afterMs, services.crawling.maxDelayMs) : REST * paceMs;
  await system.restHost(hostOf(page.url), restMs);
}

async function write(
  visit: PageVisit,
  { page, known: before }: { page: CrawlPage; known: KnownPage | null },
  outcome: Lasting,
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
    const isTaken = await writePage({ services: { ...services, stores }, scope, crawl, page, before }, outcome);
    const now = await stores.crawls.find(scope, crawl.id);
    if (now) visit.crawl = now;
    if (now?.paused === true) visit.isLost = true;
    return isTaken;
  });
}
