import type { Scope } from '#domain/access/scope.ts';
import type { CrawlPage, KnownPage } from '#store/crawls/crawl-pages.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import { hostHashOf, requestIntervalMs } from './wait-for-request-slot.ts';
import { isPassing } from '#activities/failures.ts';
import { fetchPage } from './fetch-page.ts';
import type { FinalOutcome, PageOutcome } from './page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { writePage } from './write-page.ts';

/** State of a running time slice. `crawl` is its row after the last page that was written. */
export type SliceContext = {
  services: WorkerServices;
  scope: Scope;
  /** Id of this slice; rows accept writes of the newest slice only. */
  slice: string;
  crawl: Crawl;
  signal: AbortSignal;
  /** The crawl was cancelled, paused or deleted, or another slice took over: this one stops. */
  isStopped?: boolean;
};

/** Tries before a page fails. robots.txt, without which nothing can be crawled, gets more; pages that time out get fewer. */
const MAX_TRIES = 3;
const MAX_ROBOTS_TRIES = 4;
const MAX_TIMEOUT_TRIES = 2;
/** A page with more attempts than this that never finished is given up: it probably crashes the worker. */
const MAX_CRASHED_ATTEMPTS = 5;
/** Waits between tries, in request intervals of the host: 5, 20, 80. */
const FIRST_WAIT_INTERVALS = 5;
const WAIT_GROWTH = 4;
/** Request intervals for which a host is paused after it failed. */
const HOST_PAUSE_INTERVALS = 2;
const MAX_WAIT_MS = 5 * 60_000;

/** Fetches a page whose request slot has come and writes the outcome in one transaction. Returns whether it counts as taken. */
export async function crawlPage(
  context: SliceContext,
  next: { page: CrawlPage; known: KnownPage | null },
): Promise<boolean> {
  const { services, scope, crawl, signal } = context;
  const { page } = next;
  let isUnfinished = true;
  try {
    const fetched =
      page.attempts > MAX_CRASHED_ATTEMPTS
        ? CRASHED_REPEATEDLY
        : await failOnUnexpectedError(context, () => fetchPage(services, { crawl, ...next, signal }));
    if (fetched.kind === 'postponed') {
      isUnfinished = false;
      await moveFile(context, page, fetched);
      return false;
    }
    if (fetched.kind === 'retry' && !isLastTry(page, fetched)) {
      isUnfinished = false;
      await postpone(context, page, fetched);
      return false;
    }
    const outcome: FinalOutcome = fetched.kind === 'retry' ? { ...fetched, kind: 'failed' } : fetched;
    const isTaken = await failOnUnexpectedError(context, () => write(context, next, outcome));
    isUnfinished = false;
    return typeof isTaken === 'boolean' ? isTaken : await write(context, next, isTaken);
  } finally {
    // The worker survived but has no outcome, e.g. because it shuts down: the attempt does not count.
    if (isUnfinished)
      await services.stores.crawlPages.refundAttempts(scope, crawl.id, [page.url_hash]).catch(() => undefined);
  }
}

type FailedOutcome = Extract<PageOutcome, { kind: 'failed' }>;

/** Turns an unexpected error into a failure of this page, so that the crawl continues with the others. */
async function failOnUnexpectedError<Result>(
  { services: { log }, crawl, signal }: SliceContext,
  work: () => Promise<Result>,
): Promise<Result | FailedOutcome> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || isPassing(error)) throw error;
    log.error({ error, upload_id: crawl.upload_id, workspace_id: crawl.workspace_id }, 'a page of a crawl failed');
    return {
      kind: 'failed',
      code: 'download_failed',
      message: 'The page failed with an unexpected error; upload its URL to try again.',
    };
  }
}

const CRASHED_REPEATEDLY: FailedOutcome = {
  kind: 'failed',
  code: 'repeated_crash',
  message: 'The worker crashed several times while fetching this page.',
};

function isLastTry(page: CrawlPage, { code }: RetryOutcome): boolean {
  const tries = page.kind === 'robots' ? MAX_ROBOTS_TRIES : code === 'download_timeout' ? MAX_TIMEOUT_TRIES : MAX_TRIES;
  return page.attempts >= tries;
}

type RetryOutcome = Extract<PageOutcome, { kind: 'retry' }>;

async function postpone(
  { services, scope, crawl }: SliceContext,
  page: CrawlPage,
  { code, afterMs }: RetryOutcome,
): Promise<void> {
  const { crawlPages, system } = services.stores;
  const intervalMs = requestIntervalMs({ services, crawl });
  const backoffMs = intervalMs * FIRST_WAIT_INTERVALS * WAIT_GROWTH ** (page.attempts - 1);
  const forMs = Math.min(Math.max(afterMs, backoffMs), MAX_WAIT_MS);
  await crawlPages.postpone(scope, crawl.id, { urlHash: page.url_hash, forMs, reason: code });
  if (code !== 'download_failed') return;
  // The host is overloaded: no crawl requests anything from it, for as long as its `Retry-After` says, within bounds.
  const pauseMs = afterMs > 0 ? Math.min(afterMs, services.crawling.maxDelayMs) : HOST_PAUSE_INTERVALS * intervalMs;
  await system.pauseHost(hostHashOf(page.url), pauseMs);
}

/** Lets a file wait for the address to which it redirects, as everything waits that has no request slot yet: this is no failed try. */
async function moveFile(
  context: SliceContext,
  { url_hash: urlHash }: CrawlPage,
  { url, afterMs }: Extract<PageOutcome, { kind: 'postponed' }>,
): Promise<void> {
  const { services, scope, slice } = context;
  await services.stores.transaction(async ({ crawls, crawlFrontier }) => {
    const crawl = await crawls.lockForSlice(scope, context.crawl.id, slice);
    if (crawl) await crawlFrontier.moveFile(scope, crawl.id, { urlHash, url, forMs: Math.min(afterMs, MAX_WAIT_MS) });
    else context.isStopped = true;
  });
}

async function write(
  context: SliceContext,
  { page, known: before }: { page: CrawlPage; known: KnownPage | null },
  outcome: FinalOutcome,
): Promise<boolean> {
  const { services, scope, slice } = context;
  return services.stores.transaction(async (stores) => {
    const crawl = await stores.crawls.lockForSlice(scope, context.crawl.id, slice);
    const collection = crawl && (await stores.collections.lockForUpload(scope, crawl.collection_id));
    if (!crawl || collection?.status !== 'active') {
      context.isStopped = true;
      if (crawl)
        await stores.crawls.cancel(scope, crawl.id, `The collection is ${collection?.status ?? 'being deleted'}.`);
      return false;
    }
    const isTaken = await writePage({ services: { ...services, stores }, scope, crawl, page, before }, outcome);
    const now = await stores.crawls.find(scope, crawl.id);
    if (now) context.crawl = now;
    if (now?.paused === true) context.isStopped = true;
    return isTaken;
  });
}
