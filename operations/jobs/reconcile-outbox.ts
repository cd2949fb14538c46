import { z } from 'zod';
import { AppError, assertNever } from '#domain/app-error.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import type { WorkflowType } from '#domain/jobs.ts';
import type { OutboxRow } from '#store/outbox/outbox-system.ts';
import { endCrawl as endCrawlRun, type CrawlFailure } from '#operations/crawls/end-crawl.ts';
import { endCompression as endCompressionJob, endedWithoutResult } from '#operations/compression/end-compression.ts';
import { finishRun } from '#operations/uploads/finish-run.ts';
import type { Services } from '#operations/services.ts';

const CHECK_EVERY_MS = 60_000;
const BATCH_SIZE = 50;
/** Restarts of work that may be given up: an operator can end it, and a failure that repeats does not go on for ever. */
const MAX_OPTIONAL_RESTARTS = 3;

const IngestArgs = z.object({
  workspace_id: z.string(),
  collection_id: z.string(),
  run_id: z.string().optional(),
  upload_id: z.string().nullish(),
});
const CrawlArgs = z.object({
  workspace_id: z.string(),
  collection_id: z.string(),
  upload_id: z.string(),
  crawl_id: z.string(),
});
const CompressArgs = z.object({ job_id: z.string() });

type FailureHandler = (services: Services, row: OutboxRow) => Promise<void>;

/**
 * What happens when a workflow failed or was terminated: the work ends as failed, or is started again. Exhaustive: a new
 * workflow type does not compile without an entry.
 */
const FAILURE_HANDLERS: Readonly<Record<WorkflowType, FailureHandler>> = {
  ingestUploadV2: completeRow,
  ingestBatchV2: completeRow,
  ingestUpload: completeRow,
  ingestBatch: completeRow,
  crawlSite: endCrawl,
  compressText: endCompression,
  // Its delivery is retried from its row.
  deliverWebhook: completeRow,
  summariseConversation: restartOptional,
  extractMemories: restartOptional,
  // Deletions and projections must complete.
  deleteContent: restart,
  deleteParts: restart,
  deleteCollection: restart,
  deleteWorkspace: restart,
  forgetUser: restart,
  reprojectContents: restart,
  reindexWorkspace: restart,
  reembedCollection: restart,
  // A broken receiver must be probed; whoever wants to give up its deliveries disables the webhook.
  deliverToReceiver: restart,
  oauthRefresh: restart,
};

/**
 * Compares started workflows with Temporal. Work whose workflow an operator ended is ended in the database too, workflows that
 * Temporal or the database has lost are started again, and deletions continue until their receipt is complete.
 * @returns how many were compared if more may be due, otherwise 0. It ends: what was compared is due again only after `olderThanMs`
 */
export async function reconcileOutbox(services: Services, olderThanMs = CHECK_EVERY_MS): Promise<number> {
  const rows = await services.stores.system.claimUnchecked(olderThanMs, BATCH_SIZE);
  for (const row of rows) {
    try {
      await reconcile(services, row);
    } catch (error) {
      // Without Temporal or Postgres the other rows would fail as well.
      if (error instanceof AppError && error.code === 'dependency_unavailable') throw error;
      services.log.warn(
        { error, workflow_id: row.workflow_id, workspace_id: row.workspace_id },
        'a started workflow could not be reconciled; it will be retried',
      );
    }
  }
  return rows.length < BATCH_SIZE ? 0 : rows.length;
}

async function reconcile(services: Services, row: OutboxRow): Promise<void> {
  const state = await services.jobs.state(row.workflow_id);
  switch (state) {
    case 'running':
      return;
    case 'completed':
      return endCompleted(services, row);
    case 'not_found':
      services.log.warn(
        { workflow_id: row.workflow_id },
        'Temporal does not know a started workflow; it is started again',
      );
      await services.stores.system.restart(row.id, row.workflow_id);
      return;
    case 'failed':
      return failureHandler(row.workflow_type)(services, row);
    default:
      return assertNever(state);
  }
}

/**
 * Workflows delete their rows before they complete. A row that is still there is of a database that went back in time, as after a
 * restore beside the same Temporal: what the workflow did is lost, and what must complete is started again. If the workflow has
 * completed only since the row was read, the row is gone, and nothing is started.
 */
async function endCompleted(services: Services, row: OutboxRow): Promise<void> {
  if (failureHandler(row.workflow_type) !== restart) return completeRow(services, row);
  if (!(await restartUnderNextId(services, row))) return;
  const fields = { workflow_id: row.workflow_id, workspace_id: row.workspace_id };
  services.log.warn(fields, 'a workflow has completed, but the database lacks its results; it is started again');
}

/** A row of another version may have a workflow type that this version does not know. */
function failureHandler(type: WorkflowType): FailureHandler {
  return Object.hasOwn(FAILURE_HANDLERS, type) ? FAILURE_HANDLERS[type] : restart;
}

/** Completes the outbox row. Contents of an ingestion that are not finished end as failed. */
async function completeRow(services: Services, row: OutboxRow): Promise<void> {
  const isIngestion = /^ingest(Upload|Batch)(V2)?$/.test(row.workflow_type);
  const args = IngestArgs.safeParse(row.args).data;
  const runId = args?.run_id ?? args?.upload_id;
  if (isIngestion && args && runId) {
    const { workspace_id, collection_id } = args;
    return finishRun(services, { workspace_id, collection_id, run_id: runId, outbox_id: row.workflow_id });
  }
  await services.stores.outbox.complete(workspaceScope(row), row.workflow_id);
}

async function endCrawl(services: Services, row: OutboxRow): Promise<void> {
  const message = 'The workflow of the crawl ended before it was complete; upload the URL again to continue.';
  const failure: CrawlFailure = { code: 'terminated', message };
  await endCrawlRun(services, CrawlArgs.parse(row.args), { outboxId: row.workflow_id, failure });
}

/** The compression job ends as failed; the client can send the text again. */
async function endCompression(services: Services, row: OutboxRow): Promise<void> {
  const { job_id: id } = CompressArgs.parse(row.args);
  const message = 'The workflow was ended before the text was compressed; send it again.';
  await endCompressionJob(services, workspaceScope(row), {
    id,
    decide: async () => endedWithoutResult('failed', 'terminated', message),
    outboxId: row.workflow_id,
  });
}

async function restartOptional(services: Services, row: OutboxRow): Promise<void> {
  if (restartsOf(row) < MAX_OPTIONAL_RESTARTS) return restart(services, row);
  const fields = { workflow_id: row.workflow_id, workspace_id: row.workspace_id };
  services.log.error(fields, 'a workflow that keeps failing is given up');
  await completeRow(services, row);
}

/** Starts the work again under another workflow id, since a used id cannot be used again. */
async function restart(services: Services, row: OutboxRow): Promise<void> {
  await restartUnderNextId(services, row);
}

function restartUnderNextId({ stores }: Services, row: OutboxRow): Promise<boolean> {
  const [base = row.workflow_id] = row.workflow_id.split('/again-');
  return stores.system.restart(row.id, `${base}/again-${restartsOf(row) + 1}`);
}

function restartsOf({ workflow_id: id }: OutboxRow): number {
  return Number(id.split('/again-')[1] ?? 0);
}
