import { groupBySize } from '#domain/group-by-size.ts';
import { crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { type BatchOutcome, type BatchPlan, groupFailures } from '#domain/uploads/ingest-outcomes.ts';
import type { Batch, UploadKey } from '#domain/uploads/ingest-steps.ts';
import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import { settleIngestion } from '#operations/uploads/settle-ingestion.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';
import { failContents, sliceOf } from './claim.ts';
import { scopeOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Contents looked at by one planning step. */
const PLAN_PAGE = 800;

/** The next batches of a run: at most 200 contents and 8 MiB each, so that a large one goes alone. */
export async function planBatches(
  services: WorkerServices,
  plan: RunKey & { after: string | null },
): Promise<BatchPlan> {
  const run = { collectionId: plan.collection_id, runId: plan.run_id };
  const rows = await services.stores.runs.listPending(scopeOf(plan), run, { after: plan.after, limit: PLAN_PAGE });
  const batches = packBatches(rows.map((row) => ({ ...row, downloads: row.source === 'url' })));
  return { batches, next: rows.length === PLAN_PAGE ? (rows.at(-1)?.content_id ?? null) : null };
}

/** Contents in batches, in their order. */
export function packBatches(
  contents: readonly { content_id: string; size: number | null; downloads: boolean }[],
): BatchPlan['batches'] {
  return groupBySize(contents, ({ size }) => size ?? 0).map((group) => ({
    content_ids: group.map(({ content_id: id }) => id),
    downloads: group.some(({ downloads }) => downloads),
  }));
}

/** Pauses, resumes or cancels an upload for an operator who sent the signal in the Temporal UI. */
export async function controlUpload(
  services: WorkerServices,
  control: UploadKey & { action: 'pause' | 'resume' | 'cancel' },
): Promise<void> {
  const target = { uploadId: control.upload_id };
  const scope = scopeOf(control);
  const { changed, wakes } = await services.stores.transaction(async (stores) => {
    const crawls = await stores.crawls.control(scope, target, control.action);
    const runs =
      control.action === 'cancel'
        ? await stores.runControl.cancel(scope, target)
        : await stores.runControl.setPaused(scope, target, control.action === 'pause');
    const workflowIds = [...crawls.map(crawlWorkflowId), ...runs.map((run) => run.workflow_id)];
    return { changed: runs, wakes: await enqueueWakeUps(stores, scope, workflowIds) };
  });
  sendWakeUps(services, wakes);
  services.log.info(
    { upload_id: control.upload_id, workspace_id: control.workspace_id, count: changed.length },
    'an operator steered an upload',
  );
}

/** Ends what is left of these contents. */
export async function endContents(
  services: WorkerServices,
  failure: Batch & { code: string; message: string },
): Promise<void> {
  const { code, message } = failure;
  await failContents(
    services,
    failure,
    failure.content_ids.map((content_id) => ({ content_id, code, message })),
  );
}

/** What became of the contents of a batch: those of another run by now are counted apart. */
export async function summarizeBatch(services: WorkerServices, batch: Batch): Promise<BatchOutcome> {
  const stages = await services.stores.runs.stagesOf(scopeOf(batch), sliceOf(batch));
  const ready = stages.filter((content) => content.stage === 'ready');
  const failed = stages.filter((content) => content.stage === 'failed');
  return {
    ready: ready.length,
    failed: failed.length,
    other: batch.content_ids.length - ready.length - failed.length,
    chunks: ready.reduce((sum, content) => sum + content.chunks, 0),
    failures: groupFailures(
      failed.map(({ content_id, failure_code }) => ({ content_id, code: failure_code ?? 'internal' })),
    ),
  };
}

/** Takes a run off the outbox. Contents that still count as under way, though nothing works on them, end as failed. */
export async function settleRun(services: WorkerServices, run: RunKey & { outbox_id: string }): Promise<void> {
  await settleIngestion(services, run);
}

/** Takes other work off the outbox. */
export async function settleOutbox(
  services: WorkerServices,
  work: { workspace_id: string; outbox_id: string },
): Promise<void> {
  await services.stores.outbox.settle({ workspaceId: work.workspace_id, collectionIds: null }, work.outbox_id);
}
