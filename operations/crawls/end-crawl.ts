import type { ErrorCode } from '#domain/app-error.ts';
import type { CrawlArgs, CrawlCounts } from '#domain/crawls/crawl-jobs.ts';
import type { CrawlReason } from '#domain/crawls/crawl-reasons.ts';
import type { Crawl, CrawlState } from '#store/crawls/crawls.ts';
import type { Stores } from '#store/stores.ts';
import {
  announceAwaitingUploads,
  announceUploadIfComplete,
  failUnfinished,
  projectStale,
} from '#operations/uploads/finish-run.ts';
import type { Services } from '#operations/services.ts';

const ARCHIVED = 'The collection was archived during the crawl. Unarchive it, then upload the URL again.';
const UNSEEN = 'The last crawl of the site did not find this page. The stored version stays.';

/**
 * Failures that hide the links of any page: pages that only it leads to are not found, and may still be there. A page that the last
 * crawl could fetch makes this one incomplete with every failure.
 */
const HIDING_FAILURES: readonly CrawlReason[] = [
  'download_failed',
  'download_timeout',
  'repeated_crash',
  'read_timeout',
  'read_memory_limit',
];

/** Why a crawl ended before it was complete. */
export type CrawlFailure = { code: ErrorCode; message: string };

/**
 * Ends a crawl and completes its outbox row. Waiting pages are skipped; runs that no workflow handles fail, or are cancelled with
 * the crawl; published pages that the crawl did not find are marked as stale; page rows of earlier crawls are deleted. Idempotent.
 * When this was the last work of its upload, `upload.completed` is announced.
 */
export async function endCrawl(
  services: Pick<Services, 'stores'>,
  args: CrawlArgs,
  { outboxId, failure }: { outboxId: string; failure: CrawlFailure | null },
): Promise<CrawlCounts> {
  const scope = { workspaceId: args.workspace_id, collectionIds: [args.collection_id] };
  await services.stores.transaction(async (stores) => {
    const crawl = await stores.crawls.lock(scope, args.crawl_id);
    if (crawl?.state === 'running') await finishRunningCrawl(stores, crawl, failure);
    else if (crawl) {
      await stores.crawlFrontier.skipWaiting(scope, crawl.id, 'crawl_ended');
      await stores.crawls.finish(scope, crawl.id, { state: crawl.state, message: null });
      // A request cancels the contents as well; a crawl that an archived collection ended still has some.
      if (crawl.state === 'cancelled') await stores.runControl.cancel(scope, { runId: crawl.id }, ARCHIVED);
    }
  });
  await failUnfinished(services, { ...args, run_id: args.crawl_id });
  await projectStale(services, { ...args, run_id: args.crawl_id });
  await announceAwaitingUploads(services, scope, { collectionId: args.collection_id, outboxId });
  await services.stores.system.deleteIdleHosts();
  const counts = await services.stores.crawls.countPages(scope, args.crawl_id);
  await services.stores.transaction(async (stores) => {
    const completed = await stores.outbox.complete(scope, outboxId);
    if (completed) await announceUploadIfComplete(stores, scope, args.upload_id);
  });
  return counts;
}

async function finishRunningCrawl(stores: Stores, crawl: Crawl, failure: CrawlFailure | null): Promise<void> {
  const scope = { workspaceId: crawl.workspace_id, collectionIds: [crawl.collection_id] };
  const before = await stores.crawls.countPages(scope, crawl.id);
  const left = await stores.crawlFrontier.skipWaiting(scope, crawl.id, failure ? 'crawl_ended' : 'limit');
  const state: CrawlState = failure || !hasPages(before) ? 'failed' : 'completed';
  // A crawl that was cut short, that met temporary failures, or that left out links may have missed pages that still exist.
  const hasHidingFailures = HIDING_FAILURES.some((code) => code in before.reasons);
  const sawWholeSite = state === 'completed' && left === 0 && !hasHidingFailures && !crawl.is_incomplete;
  if (sawWholeSite) {
    const unseen = await stores.crawlContents.listUnseen(scope, crawl.id);
    await stores.crawlContents.markUnsynced(scope, unseen, { syncStatus: 'stale', message: UNSEEN });
  }
  if (state === 'completed') await stores.crawlFrontier.deleteSuperseded(scope, crawl.id, sawWholeSite);
  await stores.crawls.finish(scope, crawl.id, { state, message: statusMessage(crawl, before, failure) });
}

function hasPages({ fetched, unchanged }: CrawlCounts): boolean {
  return fetched + unchanged > 0;
}

function statusMessage(crawl: Crawl, counts: CrawlCounts, failure: CrawlFailure | null): string | null {
  if (failure) return failure.message;
  if (!hasPages(counts)) return 'No page could be fetched; the content of the start page says why.';
  if (counts.waiting === 0) return null;
  return crawl.taken >= crawl.max_pages
    ? `Stopped at ${crawl.max_pages} pages; ${counts.waiting} more are known. Raise max_pages to fetch them.`
    : `Stopped after ${crawl.fetches} requests, most of which gave no page; ${counts.waiting} more pages are known.`;
}
