import { startTimeSlice } from '#activities/time-slice.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CrawlArgs, CrawlSlice } from '#domain/crawls/crawl-jobs.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import { maxRequests } from './add-links.ts';
import { MAX_SLOT_WAIT_MS, waitForRequestSlot } from './wait-for-request-slot.ts';
import type { StepContext } from '#activities/step.ts';
import { collectionScope } from '#domain/access/scope.ts';
import { packBatches } from '#activities/uploads/plan-batches.ts';
import { findKnownPage } from './lock-known-page.ts';
import { crawlPage, type SliceContext } from './crawl-page.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** The first slice is short, so that the first pages become searchable soon. */
const FIRST_TIME_SLICE_MS = 5_000;
/** A crawl mostly waits, so it holds nobody up; longer slices keep its history short. */
const TIME_SLICE_MS = 30_000;
/** Pages in flight at once, so that a slow page does not delay the others. Request slots keep their requests apart. */
const CONCURRENCY = 4;
/** Pages of one slice; also the largest batch. */
const MAX_PAGES_PER_SLICE = 200;

/**
 * Fetches the next pages of a crawl for one time slice. Each page is written in one transaction, so nothing is lost or written
 * twice when the worker crashes: the next attempt continues from the rows.
 */
export async function crawlSlice(
  services: WorkerServices,
  args: CrawlArgs & { after: number },
  step: StepContext,
): Promise<CrawlSlice> {
  const scope = collectionScope(args);
  const { crawls, crawlPages } = services.stores;
  const slice = randomUUID();
  const begun = await crawls.beginSlice(scope, args.crawl_id, slice);
  // Not over: a crawl that was paused when the slice began may have been resumed since.
  let end: SliceEnd = { isOver: false, waitMs: 0 };
  if (begun?.state === 'running' && !begun.paused) {
    end = await fetchUntilEnd({ services, scope, slice, crawl: begun, signal: step.signal }, args.after === 0);
  }
  const crawl = await crawls.find(scope, args.crawl_id);
  const fetched = await crawlPages.listFetched(scope, args.crawl_id, { after: args.after, limit: MAX_PAGES_PER_SLICE });
  const isRunning = crawl?.state === 'running';
  const isOver = !isRunning || (end.isOver && !crawl.paused && fetched.length < MAX_PAGES_PER_SLICE);
  return {
    fate: isOver ? 'over' : crawl.paused ? 'paused' : 'more',
    wait_ms: end.waitMs,
    batches: packBatches(fetched.map(({ content_id, size }) => ({ content_id, size, downloads: false }))),
    next: fetched.at(-1)?.settled ?? args.after,
    counts: await crawls.countPages(scope, args.crawl_id),
    max_pages: crawl?.max_pages ?? 0,
  };
}

/** `isOver`: nothing is left to fetch. `waitMs`: time until the next page may be requested. */
type SliceEnd = { isOver: boolean; waitMs: number };

async function fetchUntilEnd(context: SliceContext, isFirst: boolean): Promise<SliceEnd> {
  const timeSlice = startTimeSlice(isFirst ? FIRST_TIME_SLICE_MS : TIME_SLICE_MS);
  const inFlight = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  let taken = 0;
  const isOpen = () =>
    failures.length === 0 && !context.isStopped && taken < MAX_PAGES_PER_SLICE && !timeSlice.isOver();
  try {
    while (isOpen()) {
      context.signal.throwIfAborted();
      const isFull = inFlight.size >= CONCURRENCY || !hasRoom(context.crawl, inFlight.size);
      const next = isFull ? null : await nextPage(context, [...inFlight.keys()]);
      if (next && 'page' in next) {
        const { page } = next;
        const crawling = crawlPage(context, next)
          .then((isTaken) => void (taken += isTaken ? 1 : 0))
          .catch((error: unknown) => void failures.push(error))
          .finally(() => inFlight.delete(page.url_hash));
        inFlight.set(page.url_hash, crawling);
      } else if (inFlight.size > 0) await Promise.race(inFlight.values());
      else if (!next || next.waitMs === null) return { isOver: true, waitMs: 0 };
      else if (next.waitMs > MAX_SLOT_WAIT_MS) return { isOver: false, waitMs: next.waitMs };
      else await delay(next.waitMs, undefined, { signal: context.signal });
    }
  } finally {
    await Promise.all(inFlight.values());
  }
  if (failures.length > 0) throw failures[0];
  return { isOver: false, waitMs: 0 };
}

/** Claims the next page and reserves its request slot; else returns the time until there may be one, null when there is none. */
async function nextPage(
  context: SliceContext,
  inFlight: readonly string[],
): Promise<{ page: CrawlPage; known: KnownPage | null } | { waitMs: number | null }> {
  const { services, scope, crawl } = context;
  const { stores } = services;
  const { crawlPages } = stores;
  const page = await crawlPages.claim(scope, crawl.id, inFlight);
  if (!page) return { waitMs: await crawlPages.msUntilNext(scope, crawl.id) };
  try {
    // Looked up before the slot is reserved: a request must follow its reserved slot at once.
    const known = page.kind === 'page' ? await findKnownPage(stores, scope, { crawl, page }) : null;
    const slot = await waitForRequestSlot(context, { url: page.url, maxWaitMs: MAX_SLOT_WAIT_MS });
    if (slot.isReserved) return { page, known };
    await crawlPages.refundAttempts(scope, crawl.id, [page.url_hash]);
    return { waitMs: Math.max(slot.waitMs, MAX_SLOT_WAIT_MS + 1) };
  } catch (error) {
    await crawlPages.refundAttempts(scope, crawl.id, [page.url_hash]);
    throw error;
  }
}

/** True when another page may be requested even if every page in flight counts towards the limits. */
function hasRoom(crawl: Crawl, inFlight: number): boolean {
  return crawl.taken + inFlight < crawl.max_pages && crawl.fetches + inFlight < maxRequests(crawl);
}
