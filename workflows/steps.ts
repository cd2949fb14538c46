import { proxyActivities } from '@temporalio/workflow';
import type { CollectionDeletionSteps } from '#domain/collections/collection-deletion.ts';
import type { CrawlSteps, CrawlUpkeepSteps } from '#domain/crawls/crawl-jobs.ts';
import type { ReindexSlice, ReindexSteps } from '#domain/index/reindex-job.ts';
import type { WorkspaceDeletionSteps } from '#domain/workspaces/workspace-deletion.ts';
import type { DownloadSteps, IndexSteps, IngestSteps, UpkeepSteps } from '#domain/uploads/ingest-steps.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/**
 * Steps are retried without limit while infrastructure is away; what cannot succeed ends with a non-retryable failure
 * (`activities/failures.ts`). A dead worker is noticed when its heartbeat stops.
 */
const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;
const HEARTBEAT = '10s';

/** `workspaceId` shares the queues fairly: one tenant's backlog never starves another's. */
export function stepsFor(workspaceId: string) {
  const priority = { fairnessKey: workspaceId };
  return {
    upkeep: proxyActivities<
      UpkeepSteps & CollectionDeletionSteps & WorkspaceDeletionSteps & ReindexSteps & CrawlUpkeepSteps
    >({
      taskQueue: TASK_QUEUES.upkeep,
      startToCloseTimeout: '2m',
      heartbeatTimeout: HEARTBEAT,
      retry: RETRY,
      priority,
    }),
    download: proxyActivities<DownloadSteps>({
      taskQueue: TASK_QUEUES.download,
      startToCloseTimeout: '6h',
      heartbeatTimeout: HEARTBEAT,
      retry: RETRY,
      priority,
    }),
    crawl: proxyActivities<CrawlSteps>({
      taskQueue: TASK_QUEUES.crawl,
      startToCloseTimeout: '6h',
      heartbeatTimeout: HEARTBEAT,
      retry: RETRY,
      priority,
    }),
    ingest: proxyActivities<IngestSteps>({
      taskQueue: TASK_QUEUES.ingest,
      startToCloseTimeout: '6h',
      heartbeatTimeout: HEARTBEAT,
      retry: RETRY,
      priority,
    }),
    index: proxyActivities<IndexSteps & ReindexSlice>({
      taskQueue: TASK_QUEUES.index,
      startToCloseTimeout: '10m',
      heartbeatTimeout: HEARTBEAT,
      retry: RETRY,
      priority,
    }),
  };
}
