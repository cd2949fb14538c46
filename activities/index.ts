import type { CollectionDeletionSteps } from '#domain/collections/collection-deletion.ts';
import type { UserDeletionSteps } from '#domain/memories/user-deletion.ts';
import type { CrawlSteps, CrawlUpkeepSteps } from '#domain/crawls/crawl-jobs.ts';
import type {
  Batch,
  DownloadSteps,
  ExpressSteps,
  IndexSteps,
  IngestSteps,
  LocalSteps,
  UpkeepSteps,
} from '#domain/uploads/ingest-steps.ts';
import type { WebhookSteps } from '#domain/webhooks/webhook-jobs.ts';
import {
  completeCollectionDeletion,
  dropCollectionIndex,
  endCollectionRuns,
  removeCollectionRows,
} from '#activities/collections/collection-deletion.ts';
import type { CompressionSteps } from '#domain/compression/compression-jobs.ts';
import { planCompression } from '#activities/compression/plan-compression.ts';
import { compressSlice } from '#activities/compression/compress-slice.ts';
import { completeCompression, failCompression } from '#activities/compression/complete-compression.ts';
import type { ConversationSteps } from '#domain/conversations/conversation-jobs.ts';
import { extractFromMessages } from '#activities/conversations/extract-from-messages.ts';
import { summariseMessages } from '#activities/conversations/summarise-messages.ts';
import { crawlSlice } from '#activities/crawls/crawl-slice.ts';
import { controlCrawl, endCrawl } from '#activities/crawls/control-crawl.ts';
import { completeDeletion, removeChunks, removeFromIndex } from '#activities/contents/content-deletion.ts';
import {
  completeUserDeletion,
  removeUserMemories,
  removeUserObjects,
  verifyUserObjects,
} from '#activities/memories/user-deletion.ts';
import { downloadContents } from '#activities/uploads/download-contents.ts';
import { ingestExpress } from '#activities/uploads/ingest-express.ts';
import { ingestIndexSlice, ingestSlice, passToIndexing } from '#activities/uploads/ingest-slice.ts';
import { publishContents } from '#activities/uploads/publish-contents.ts';
import type { OAuthSteps } from '#domain/connections/oauth-refresh.ts';
import { exchangeTokens } from '#activities/connections/exchange-tokens.ts';
import { removeEntries } from '#activities/archives/remove-entries.ts';
import { persistRefresh } from '#activities/connections/persist-refresh.ts';
import { startDueRefreshes } from '#activities/connections/start-due-refreshes.ts';
import type { ReembedSlice, ReembedSteps } from '#domain/index/reembed-job.ts';
import type { ReindexSlice, ReindexSteps } from '#domain/index/reindex-job.ts';
import { beginReindexing, completeReindexing, followMemories, reindexSlice } from '#activities/index/reindex.ts';
import { reembedSlice } from '#activities/index/reembed-slice.ts';
import {
  beginReembedding,
  dropRetiredIndex,
  findReembedding,
  stopReembedding,
  switchIndex,
} from '#activities/index/switch-index.ts';
import { reprojectContents } from '#activities/index/reproject-contents.ts';
import { runStep, type StepContext } from './step.ts';
import { controlUpload } from '#activities/uploads/control-upload.ts';
import { failBatch, planBatches, summarizeBatch } from '#activities/uploads/plan-batches.ts';
import { settleOutbox, settleRun } from '#activities/uploads/settle-run.ts';
import { attemptWebhook } from '#activities/webhooks/attempt-webhook.ts';
import { probeReceiver } from '#operations/webhooks/probe-receiver.ts';
import type { WorkerServices } from './worker-services.ts';
import type { WorkspaceDeletionSteps } from '#domain/workspaces/workspace-deletion.ts';
import {
  completeWorkspaceDeletion,
  dropGivenUp,
  endWorkspaceWork,
  giveUpIndex,
  removeWorkspaceRows,
} from '#activities/workspaces/workspace-deletion.ts';

/** All activities, by task queue. */
export type Activities = {
  upkeep: UpkeepSteps &
    CollectionDeletionSteps &
    UserDeletionSteps &
    WorkspaceDeletionSteps &
    ReindexSteps &
    ReembedSteps &
    ConversationSteps &
    CrawlUpkeepSteps;
  conversations: ConversationSteps;
  oauth: OAuthSteps;
  download: DownloadSteps;
  crawl: CrawlSteps;
  express: ExpressSteps;
  ingest: IngestSteps;
  index: IndexSteps & ReindexSlice & ReembedSlice;
  compress: CompressionSteps;
  webhooks: WebhookSteps;
};

/** The activities that workflows may run locally. */
export function localSteps({ upkeep }: Pick<Activities, 'upkeep'>): LocalSteps {
  return { planBatches: (plan) => upkeep.planBatches(plan), settleRun: (run) => upkeep.settleRun(run) };
}

/** Binds the activities to their services. The keys are the activity names that histories contain. */
export function createActivities(services: WorkerServices): Activities {
  const step =
    <Args extends { workspace_id: string | null }, Result>(
      name: string,
      work: (services: WorkerServices, args: Args, context: StepContext) => Promise<Result>,
    ) =>
    (args: Args): Promise<Result> =>
      runStep(services, { name, workspaceId: args.workspace_id ?? 'all', batch: batchOf(args) }, (context) =>
        work(services, args, context),
      );
  const conversations: ConversationSteps = {
    summariseMessages: step('summarise', summariseMessages),
    extractFromMessages: step('extract', extractFromMessages),
  };
  return {
    conversations,
    upkeep: {
      planBatches: step('plan', planBatches),
      controlUpload: step('control', controlUpload),
      failContents: step('fail', failBatch),
      summarizeBatch: step('summarize', summarizeBatch),
      settleRun: step('settle', settleRun),
      settleOutbox: step('settle', settleOutbox),
      // Their tasks of releases that had no queue for them.
      ...conversations,
      controlCrawl: step('control', controlCrawl),
      endCrawl: step('settle', endCrawl),
      removeParts: step('remove', removeEntries),
      removeFromIndex: step('unindex', removeFromIndex),
      removeChunks: step('remove', removeChunks),
      completeDeletion: step('complete', completeDeletion),
      endCollectionRuns: step('end', endCollectionRuns),
      dropCollectionIndex: step('unindex', dropCollectionIndex),
      removeCollectionRows: step('remove', removeCollectionRows),
      completeCollectionDeletion: step('complete', completeCollectionDeletion),
      removeUserMemories: step('remove', removeUserMemories),
      removeUserObjects: step('unindex', removeUserObjects),
      verifyUserObjects: step('verify', verifyUserObjects),
      completeUserDeletion: step('complete', completeUserDeletion),
      endWorkspaceWork: step('end', endWorkspaceWork),
      giveUpIndex: step('unindex', giveUpIndex),
      removeWorkspaceRows: step('remove', removeWorkspaceRows),
      dropGivenUp: step('unindex', dropGivenUp),
      completeWorkspaceDeletion: step('complete', completeWorkspaceDeletion),
      beginReindexing: step('begin', beginReindexing),
      followMemories: step('follow', followMemories),
      completeReindexing: step('complete', completeReindexing),
      beginReembedding: step('begin', beginReembedding),
      findReembedding: step('find', findReembedding),
      switchIndex: step('switch', switchIndex),
      stopReembedding: step('stop', stopReembedding),
      dropRetiredIndex: step('unindex', dropRetiredIndex),
    },
    oauth: {
      exchangeTokens: step('exchange', exchangeTokens),
      persistRefresh: step('persist', persistRefresh),
      startDueRefreshes: step('due', startDueRefreshes),
    },
    download: {
      downloadContents: step('download', downloadContents),
    },
    crawl: {
      crawlSlice: step('crawl', crawlSlice),
    },
    express: {
      ingestExpress: step('express', ingestExpress),
    },
    ingest: {
      ingestSlice: step('ingest', ingestSlice),
      readContents: step('read', passToIndexing),
    },
    index: {
      indexSlice: step('index', ingestIndexSlice),
      publishContents: step('publish', publishContents),
      reprojectContents: step('reproject', reprojectContents),
      reindexSlice: step('reindex', reindexSlice),
      reembedSlice: step('reembed', reembedSlice),
    },
    compress: {
      planCompression: step('plan', planCompression),
      compressSlice: step('compress', compressSlice),
      completeCompression: step('complete', completeCompression),
      failCompression: step('fail', failCompression),
    },
    webhooks: {
      probeReceiver: step('webhook', probeReceiver),
      attemptWebhook: step('webhook', attemptWebhook),
    },
  };
}

/** The contents of a run that an activity processes; null for all other activities. */
function batchOf(args: { workspace_id: string | null } & Partial<Omit<Batch, 'workspace_id'>>): Batch | null {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  return workspace_id && collection_id && run_id && content_ids
    ? { workspace_id, collection_id, run_id, content_ids }
    : null;
}
