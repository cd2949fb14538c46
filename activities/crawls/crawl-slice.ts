import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CrawlArgs, type CrawlSlice } from '#domain/crawls/crawl-jobs.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import { mostFetches } from './crawl-limits.ts';
import { takeTurn } from './crawl-pace.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import { packBatches } from '#activities/uploads/upkeep-steps.ts';
import { findKnown } from './save-page.ts';
import { crawlPage, type PageVisit } from './crawl-page.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** After this no further page is asked for; the workflow comes again, and others get their turn. */
const SLICE_MS = 30_000;
/** The first pages are to be found soon. */
const FIRST_SLICE_MS = 5_000;
/** Answers waited for at once: a slow page does not hold up the others. Their requests are turns apart. */
const AT_ONCE = 4;
/** Pages of one slice, and so of one batch at most. */
const PAGES = 200;
/** A turn that is further away is not waited for in the slice, which others could use. */
const PATIENCE_MS = 5_000;

/**
 * Fetches the next pages of a crawl. What each page comes to is one transaction, so that nothing is lost or done twice when the
 * worker dies: the next attempt goes on where the rows say.
 */
export async function crawlSlice(
  services: WorkerServices,
  args: CrawlArgs & { after: number },
  step: StepContext,
): Promise<CrawlSlice> {
  const scope = scopeOf(args);
  const { crawls, crawlPages } = services.stores;
  const slice = randomUUID();
  const begun = await crawls.beginSlice(scope, args.crawl_id, slice);
  // One that was paused when this began, and is not any more, is far from over.
  let rest: Rest = { isOver: false, waitMs: 0 };
  if (begun?.state === 'running' && !begun.paused) {
    rest = await visitPages({ services, scope, slice, crawl: begun, signal: step.signal }, args.after === 0);
  }
  const crawl = await crawls.find(scope, args.crawl_id);
  const fetched = await crawlPages.fetched(scope, args.crawl_id, { after: args.after, limit: PAGES });
  const isRunning = crawl?.state === 'running';
  const isOver = !isRunning || (rest.isOver && !crawl.paused && fetched.length < PAGES);
  return {
    fate: isOver ? 'over' : crawl.paused ? 'paused' : 'more',
    wait_ms: rest.waitMs,
    batches: packBatches(fetched.map(({ content_id, size }) => ({ content_id, size, downloads: false }))),
    next: fetched.at(-1)?.settled ?? args.after,
    counts: await crawls.countPages(scope, args.crawl_id),
    max_pages: crawl?.max_pages ?? 0,
  };
}

/** Why a slice ended. */
type Rest = { isOver: boolean; waitMs: number };

async function visitPages(visit: PageVisit, isFirst: boolean): Promise<Rest> {
  const deadlineMs = performance.now() + (isFirst ? FIRST_SLICE_MS : SLICE_MS);
  const underWay = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  const done = { taken: 0 };
  const isOpen = () => failures.length === 0 && !visit.isLost && done.taken < PAGES && performance.now() < deadlineMs;
  try {
    while (isOpen()) {
      visit.signal.throwIfAborted();
      const isFull = underWay.size >= AT_ONCE || !hasRoom(visit.crawl, underWay.size);
      const next = isFull ? null : await nextPage(visit, [...underWay.keys()]);
      if (next && 'page' in next) {
        const { page } = next;
        const visiting = crawlPage(visit, next)
          .then((isTaken) => void (done.taken += isTaken ? 1 : 0))
          .catch((error: unknown) => void failures.push(error))
          .finally(() => underWay.delete(page.url_hash));
        underWay.set(page.url_hash, visiting);
      } else if (underWay.size > 0) await Promise.race(underWay.values());
      else if (!next || next.inMs === null) return { isOver: true, waitMs: 0 };
      else if (next.inMs > PATIENCE_MS) return { isOver: false, waitMs: next.inMs };
      else await delay(next.inMs, undefined, { signal: visit.signal });
    }
  } finally {
    await Promise.all(underWay.values());
  }
  if (failures.length > 0) throw failures[0];
  return { isOver: false, waitMs: 0 };
}

/** The next page with its turn at the host, or in how many milliseconds there may be one; null: never. */
async function nextPage(
  visit: PageVisit,
  underWay: readonly string[],
): Promise<{ page: CrawlPage; known: KnownPage | null } | { inMs: number | null }> {
  const { services, scope, crawl } = visit;
  const { stores } = services;
  const { crawlPages } = stores;
  const page = await crawlPages.claim(scope, crawl.id, underWay);
  if (!page) return { inMs: await crawlPages.nextInMs(scope, crawl.id) };
  try {
    // Before the turn, for what has it asks at once.
    const known = page.kind === 'page' ? await findKnown(stores, scope, { crawl, page }) : null;
    const turn = await takeTurn(visit, { url: page.url, patienceMs: PATIENCE_MS });
    if (turn.isMine) return { page, known };
    await crawlPages.forgive(scope, crawl.id, [page.url_hash]);
    return { inMs: Math.max(turn.inMs, PATIENCE_MS + 1) };
  } catch (error) {
    await crawlPages.forgive(scope, crawl.id, [page.url_hash]);
    throw error;
  }
}

/** Whether a further page may be asked for, should all under way be taken. */
function hasRoom(crawl: Crawl, underWay: number): boolean {
  return crawl.taken + underWay < crawl.max_pages && crawl.fetches + underWay < mostFetches(crawl);
}
