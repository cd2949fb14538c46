import { collectionScope } from '#domain/access/scope.ts';
import type { ErrorCode } from '#domain/app-error.ts';
import { groupBySize } from '#domain/group-by-size.ts';
import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import { groupFailures, type BatchOutcome, type BatchPlan, type IngestOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { runContentsOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { failContents } from './fail-contents.ts';

/** Contents per planning activity. */
const PAGE_SIZE = 800;

/** URLs are in small batches of their own: the contents of a batch wait until its last download has ended. */
const MAX_DOWNLOADS = 20;

/** Plans the next batches of a run: at most 200 contents and 8 MiB each; a larger content is a batch of its own. */
export async function planBatches(
  services: WorkerServices,
  plan: RunKey & { after: string | null },
): Promise<BatchPlan> {
  const run = { collectionId: plan.collection_id, runId: plan.run_id };
  const page = { after: plan.after, limit: PAGE_SIZE };
  const rows = await services.stores.runs.listPending(collectionScope(plan), run, page);
  const batches = packBatches(rows.map((row) => ({ ...row, downloads: row.source === 'url' })));
  return { batches, next: rows.length === PAGE_SIZE ? (rows.at(-1)?.content_id ?? null) : null };
}

/** Groups contents into batches, in their order. */
export function packBatches(
  contents: readonly { content_id: string; size: number | null; downloads: boolean }[],
): BatchPlan['batches'] {
  const toBatch = (group: readonly { content_id: string }[], downloads: boolean) => ({
    content_ids: group.map(({ content_id: id }) => id),
    downloads,
  });
  const [urls, stored] = [contents.filter((one) => one.downloads), contents.filter((one) => !one.downloads)];
  return [
    ...groupBySize(stored, ({ size }) => size ?? 0).map((group) => toBatch(group, false)),
    ...groupBySize(urls, ({ size }) => size ?? 0, MAX_DOWNLOADS).map((group) => toBatch(group, true)),
  ];
}

/** Marks the unfinished contents of a batch as failed. */
export async function failBatch(
  services: WorkerServices,
  failure: Batch & { code: ErrorCode; message: string },
): Promise<void> {
  const { code, message } = failure;
  const failures = failure.content_ids.map((content_id) => ({ content_id, code, message }));
  await failContents(services, failure, failures);
}

/** Counts the results of those contents of a batch that have ended. */
export async function summarizeEnded(
  services: WorkerServices,
  batch: Batch,
  { more, paused }: IngestOutcome,
): Promise<BatchOutcome> {
  const left = new Set([...more, ...paused]);
  return summarizeBatch(services, { ...batch, content_ids: batch.content_ids.filter((id) => !left.has(id)) });
}

/** Counts the results of a batch. Contents that belong to another run by now are counted as `other`. */
export async function summarizeBatch(services: WorkerServices, batch: Batch): Promise<BatchOutcome> {
  const stages = await services.stores.runs.stagesOf(collectionScope(batch), runContentsOf(batch));
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
