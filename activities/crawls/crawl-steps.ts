import type { CrawlArgs, CrawlCounts } from '#domain/crawls/crawl-jobs.ts';
import type { CrawlFailure } from '#operations/crawls/end-crawl.ts';
import { settleCrawl } from '#operations/crawls/settle-crawl.ts';
import { scopeOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Pauses, resumes or cancels a crawl, with what it fetched, for an operator who sent the signal in the Temporal UI. */
export async function controlCrawl(
  services: WorkerServices,
  control: CrawlArgs & { action: 'pause' | 'resume' | 'cancel' },
): Promise<void> {
  const { action, crawl_id: crawlId } = control;
  const scope = scopeOf(control);
  const { crawls, runControl } = services.stores;
  await crawls.steer(scope, { crawlId }, action);
  const target = { runId: crawlId };
  if (action === 'cancel') await runControl.cancel(scope, target);
  else await runControl.setPaused(scope, target, action === 'pause');
  services.log.info(
    { upload_id: control.upload_id, workspace_id: control.workspace_id },
    'an operator steered a crawl',
  );
}

/** Ends a crawl in the rows and takes it off the outbox. */
export function endCrawl(
  services: WorkerServices,
  { outbox_id: outboxId, failure, ...args }: CrawlArgs & { outbox_id: string; failure: CrawlFailure | null },
): Promise<CrawlCounts> {
  return settleCrawl(services, args, { outboxId, failure });
}
