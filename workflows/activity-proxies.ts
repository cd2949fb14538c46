import { proxyActivities } from '@temporalio/workflow';
import type { CollectionDeletionSteps } from '#domain/collections/collection-deletion.ts';
import type { CompressionSteps } from '#domain/compression/compression-jobs.ts';
import type { OAuthSteps } from '#domain/connections/oauth-refresh.ts';
import type { ConversationSteps } from '#domain/conversations/conversation-jobs.ts';
import type { CrawlSteps, CrawlUpkeepSteps } from '#domain/crawls/crawl-jobs.ts';
import type { ReindexSlice, ReindexSteps } from '#domain/index/reindex-job.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type {
  DownloadSteps,
  ExpressSteps,
  IndexSteps,
  IngestSteps,
  UpkeepSteps,
} from '#domain/uploads/ingest-steps.ts';
import type { WebhookSteps } from '#domain/webhooks/webhook-jobs.ts';
import type { WorkspaceDeletionSteps } from '#domain/workspaces/workspace-deletion.ts';

type AllUpkeepSteps = UpkeepSteps & CollectionDeletionSteps & WorkspaceDeletionSteps & ReindexSteps & CrawlUpkeepSteps;

/**
 * Activities are retried without limit while infrastructure is unavailable. An activity that cannot succeed throws a
 * non-retryable failure (`activities/failures.ts`).
 */
const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;
/** A dead worker is detected after this long without a heartbeat. */
const HEARTBEAT_TIMEOUT = '15s';
/** Somebody waits for express work. */
const EXPRESS_HEARTBEAT_TIMEOUT = '5s';

type Timeout = '1m' | '2m' | '5m' | '10m' | '30m' | '6h';

/**
 * The activities of every task queue, with their timeouts and retry policy. `fairnessKey` (a workspace id) shares the queues
 * fairly: the backlog of one workspace never starves the others.
 */
export function activityProxiesFor(fairnessKey: string) {
  const proxy = <Activities>(taskQueue: string, startToCloseTimeout: Timeout) =>
    proxyActivities<Activities>({
      taskQueue,
      startToCloseTimeout,
      heartbeatTimeout: taskQueue === TASK_QUEUES.express ? EXPRESS_HEARTBEAT_TIMEOUT : HEARTBEAT_TIMEOUT,
      retry: RETRY,
      priority: { fairnessKey },
    });
  return {
    upkeep: proxy<AllUpkeepSteps>(TASK_QUEUES.upkeep, '2m'),
    download: proxy<DownloadSteps>(TASK_QUEUES.download, '6h'),
    crawl: proxy<CrawlSteps>(TASK_QUEUES.crawl, '6h'),
    express: proxy<ExpressSteps>(TASK_QUEUES.express, '1m'),
    ingest: proxy<IngestSteps>(TASK_QUEUES.ingest, '6h'),
    index: proxy<IndexSteps & ReindexSlice>(TASK_QUEUES.index, '10m'),
    compress: proxy<CompressionSteps>(TASK_QUEUES.compress, '30m'),
    // Long enough for a slow chat model. These activities are idempotent.
    conversations: proxy<ConversationSteps>(TASK_QUEUES.upkeep, '30m'),
    // Covers metadata, token exchange and a hanging database, each with its own limit: a timeout here would lose received tokens.
    oauth: proxy<OAuthSteps>(TASK_QUEUES.oauth, '5m'),
    webhooks: proxy<WebhookSteps>(TASK_QUEUES.webhooks, '2m'),
  };
}
