import type { CrawlArgs, CrawlCounts } from '#domain/crawls/crawl-jobs.ts';
import type { Crawl, CrawlState } from '#store/crawls/crawls.ts';
import type { Stores } from '#store/stores.ts';
import { failUnsettled } from '#operations/uploads/fail-unsettled.ts';
import type { Services } from '#operations/services.ts';

const UNSEEN = 'The last crawl of the site no longer came by this page. What is here stays.';

/** Failures that hide what a page links to, and may be gone the next time. */
const MAY_PASS = ['download_failed', 'download_timeout', 'repeated_crash'];

/** Why a crawl ended that did not come to its end by itself. */
export type CrawlFailure = { code: string; message: string };

/**
 * Ends a crawl: what waits is skipped, what is under way without a workflow fails, published pages that it did not come by any
 * more are marked, and what earlier crawls knew of them is forgotten. Twice is once.
 */
export async function endCrawl(
  services: Pick<Services, 'stores'>,
  args: CrawlArgs,
  failure: CrawlFailure | null,
): Promise<CrawlCounts> {
  const scope = { workspaceId: args.workspace_id, collectionIds: [args.collection_id] };
  await services.stores.transaction(async (stores) => {
    const crawl = await stores.crawls.lock(scope, args.crawl_id);
    if (crawl?.state === 'running') await end(stores, crawl, failure);
    else if (crawl) {
      await stores.crawlFrontier.leave(scope, crawl.id, 'crawl_ended');
      await stores.crawls.finish(scope, crawl.id, { state: crawl.state, message: null });
    }
  });
  await failUnsettled(services, { ...args, run_id: args.crawl_id });
  await services.stores.system.forgetHosts();
  return services.stores.crawls.countPages(scope, args.crawl_id);
}

async function end(stores: Stores, crawl: Crawl, failure: CrawlFailure | null): Promise<void> {
  const scope = { workspaceId: crawl.workspace_id, collectionIds: [crawl.collection_id] };
  const before = await stores.crawls.countPages(scope, crawl.id);
  await stores.crawlFrontier.leave(scope, crawl.id, failure ? 'crawl_ended' : 'limit');
  const state: CrawlState = failure || !hasBrought(before) ? 'failed' : 'completed';
  // What was cut off, or broke, says nothing about what it did not see.
  const isBroken = MAY_PASS.some((code) => code in before.reasons);
  const isWhole = state === 'completed' && before.waiting === 0 && !isBroken;
  if (isWhole) {
    const unseen = await stores.crawlContents.unseen(scope, crawl.id);
    await stores.crawlContents.markUnsynced(scope, unseen, { syncStatus: 'stale', message: UNSEEN });
  }
  if (state === 'completed') await stores.crawlFrontier.supersede(scope, crawl.id, isWhole);
  await stores.crawls.finish(scope, crawl.id, { state, message: messageOf(crawl, before, failure) });
}

function hasBrought({ fetched, unchanged }: CrawlCounts): boolean {
  return fetched + unchanged > 0;
}

function messageOf(crawl: Crawl, counts: CrawlCounts, failure: CrawlFailure | null): string | null {
  if (failure) return failure.message;
  if (!hasBrought(counts)) return 'No page could be taken; the page it started from says why.';
  if (counts.waiting === 0) return null;
  return crawl.taken >= crawl.max_pages
    ? `Stopped at ${crawl.max_pages} pages; ${counts.waiting} more are known. Raise max_pages to take them.`
    : `Stopped after ${crawl.fetches} requests, of which most led nowhere; ${counts.waiting} more pages are known.`;
}
