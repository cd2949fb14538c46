import type { CrawlArgs, CrawlCounts } from '#domain/crawls/crawl-jobs.ts';
import { endCrawl, type CrawlFailure } from './end-crawl.ts';
import type { Services } from '#operations/services.ts';
import { announceUploadWhenOver } from '#operations/uploads/settle-ingestion.ts';

/** Ends a crawl and takes it off the outbox. With the last work of its upload, `upload.completed` becomes true. */
export async function settleCrawl(
  services: Pick<Services, 'stores'>,
  args: CrawlArgs,
  { outboxId, failure }: { outboxId: string; failure: CrawlFailure | null },
): Promise<CrawlCounts> {
  const counts = await endCrawl(services, args, failure);
  const scope = { workspaceId: args.workspace_id, collectionIds: [args.collection_id] };
  await services.stores.transaction(async (stores) => {
    if (await stores.outbox.settle(scope, outboxId)) await announceUploadWhenOver(stores, scope, args.upload_id);
  });
  return counts;
}
