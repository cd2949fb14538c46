import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { ErrorCode } from '#domain/app-error.ts';
import type { CollectionDeletionSteps } from '#domain/collections/collection-deletion.ts';
import type { CompressionSteps } from '#domain/compression/compression-jobs.ts';
import type { OAuthSteps } from '#domain/connections/oauth-refresh.ts';
import type { ConversationSteps } from '#domain/conversations/conversation-jobs.ts';
import type { CrawlSteps, CrawlUpkeepSteps } from '#domain/crawls/crawl-jobs.ts';
import type { UserDeletionSteps } from '#domain/memories/user-deletion.ts';
import type { ReembedSlice, ReembedSteps } from '#domain/index/reembed-job.ts';
import type { ReindexSlice, ReindexSteps } from '#domain/index/reindex-job.ts';
import { isErrorCode } from '#domain/error-meanings.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type {
  DownloadSteps,
  ExpressSteps,
  IndexSteps,
  IngestSteps,
  LocalSteps,
  UpkeepSteps,
} from '#domain/uploads/ingest-steps.ts';
import type { WebhookSteps } from '#domain/webhooks/webhook-jobs.ts';
import type { WorkspaceDeletionSteps } from '#domain/workspaces/workspace-deletion.ts';

type AllUpkeepSteps = UpkeepSteps &
  CollectionDeletionSteps &
  UserDeletionSteps &
  WorkspaceDeletionSteps &
  ReindexSteps &
  ReembedSteps &
  CrawlUpkeepSteps;

/**
 * Activities are retried without limit while infrastructure is unavailable. An activity that cannot succeed throws a
 * non-retryable failure (`activities/failures.ts`).
 */
const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;
/** A dead worker is detected after this long without a heartbeat, of which there is one every 8 s. */
const HEARTBEAT_TIMEOUT = '20s';
/** Somebody waits for express work. */
const EXPRESS_HEARTBEAT_TIMEOUT = '5s';

type Timeout = '2m' | '5m' | '30m' | '6h';

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
    // What embeds is limited generously: a slow model that many share takes long, and an attempt that is ended embeds the same again.
    // Heartbeats tell who has died.
    express: proxy<ExpressSteps>(TASK_QUEUES.express, '30m'),
    ingest: proxy<IngestSteps>(TASK_QUEUES.ingest, '6h'),
    index: proxy<IndexSteps & ReindexSlice & ReembedSlice>(TASK_QUEUES.index, '30m'),
    compress: proxy<CompressionSteps>(TASK_QUEUES.compress, '30m'),
    // Long enough for a slow chat model. These activities are idempotent.
    conversations: proxy<ConversationSteps>(TASK_QUEUES.conversations, '30m'),
    // Covers metadata, token exchange and a hanging database, each with its own limit: a timeout here would lose received tokens.
    oauth: proxy<OAuthSteps>(TASK_QUEUES.oauth, '5m'),
    webhooks: proxy<WebhookSteps>(TASK_QUEUES.webhooks, '2m'),
  };
}

/**
 * True for workflows of ingestion that were started under their present name, `…V2`. A worker of before does not know the name and
 * leaves the workflow to others, as with `patched`, whose marks are an action of Temporal each.
 */
export function isCurrentEdition(): boolean {
  return workflowInfo().workflowType.endsWith('V2');
}

/** A local step that takes longer than this is repeated as an ordinary activity. */
const LOCAL_TIMEOUT = '5s';

const local = proxyLocalActivities<LocalSteps>({
  startToCloseTimeout: LOCAL_TIMEOUT,
  // A workflow task must not last as long as an outage.
  retry: { maximumAttempts: 1 },
});

/**
 * Runs a short step in the worker that runs the workflow, which takes one event instead of three and no queue. If it fails, it is
 * repeated as an ordinary activity, which waits for what is away. Older editions take ordinary activities.
 */
export function localFirst(workspaceId: string): {
  [Name in keyof LocalSteps]: (summary: string, args: Parameters<LocalSteps[Name]>) => ReturnType<LocalSteps[Name]>;
} {
  const { upkeep } = activityProxiesFor(workspaceId);
  if (!isCurrentEdition()) {
    return {
      planBatches: (summary, args) => upkeep.planBatches.executeWithOptions({ summary }, args),
      settleRun: (summary, args) => upkeep.settleRun.executeWithOptions({ summary }, args),
    };
  }
  return {
    planBatches: (summary, args) =>
      tryLocally(
        () => local.planBatches.executeWithOptions({ summary }, args),
        () => upkeep.planBatches.executeWithOptions({ summary }, args),
      ),
    settleRun: (summary, args) =>
      tryLocally(
        () => local.settleRun.executeWithOptions({ summary }, args),
        () => upkeep.settleRun.executeWithOptions({ summary }, args),
      ),
  };
}

async function tryLocally<Result>(locally: () => Promise<Result>, remotely: () => Promise<Result>): Promise<Result> {
  try {
    return await locally();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return remotely();
  }
}

/** Returns the code and message of an activity that failed for good. Rethrows cancellations and all other errors. */
export function activityFailureOf(error: unknown): { code: ErrorCode; message: string } {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const type = error.cause instanceof ApplicationFailure ? (error.cause.type ?? '') : '';
  return { code: isErrorCode(type) ? type : 'internal', message: error.cause?.message ?? error.message };
}
