import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import type { CrawlArgs, CrawlCounts } from '#domain/crawls/crawl-jobs.ts';
import * as operation from '#operations/crawls/end-crawl.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Pauses, resumes or cancels a crawl and the runs of its pages, on a signal that an operator sent in the Temporal UI. */
export async function controlCrawl(
  services: WorkerServices,
  control: CrawlArgs & { action: ControlAction },
): Promise<void> {
  const { action, crawl_id: crawlId } = control;
  const scope = collectionScope(control);
  await services.stores.transaction(async (stores) => {
    await stores.crawls.control(scope, { crawlId }, action);
    await stores.runControl.control(scope, { runId: crawlId }, action);
  });
  services.log.info(
    { upload_id: control.upload_id, workspace_id: control.workspace_id },
    'an operator paused, resumed or cancelled a crawl',
  );
}

/** Ends a crawl in the database and completes its outbox row. */
export function endCrawl(
  services: WorkerServices,
  { outbox_id: outboxId, failure, ...args }: CrawlArgs & { outbox_id: string; failure: operation.CrawlFailure | null },
): Promise<CrawlCounts> {
  return operation.endCrawl(services, args, { outboxId, failure });
}
