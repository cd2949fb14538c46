import { collectionScope } from '#domain/access/scope.ts';
import type { ErrorCode } from '#domain/app-error.ts';
import { groupBySize, MAX_BATCH_BYTES } from '#domain/group-by-size.ts';
import { groupFailures, type BatchOutcome, type BatchPlan, type IngestOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch, PlanRequest } from '#domain/uploads/ingest-steps.ts';
import { runContentsOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { failContents } from './fail-contents.ts';

/** Contents per planning activity. */
const PAGE_SIZE = 800;
/** Batches per plan: large texts fill one each, and a workflow starts all batches of a plan in one execution. */
const MAX_BATCHES = 100;

/**
 * A batch is on one worker at a time, so these are what several workers share: each is one or two time slices of work. What is not
 * text holds less of it than its size, and is counted by the bytes that a batch may hold.
 */
const MAX_TEXT_BYTES = 256 * 1024;
/** More than a few workers can take at once, so that each gets its part however they are handed out. */
const BATCHES_AT_ONCE = 16;
/** Downloads go to servers of others. */
const DOWNLOADS_AT_ONCE = 4;

/** URLs are in small batches of their own: the contents of a batch wait until its last download has ended. */
const MAX_DOWNLOADS = 20;

/**
 * Plans the next batches of a run, at most 100: each has at most 200 contents, 8 MiB and 256 KiB of text; a larger content is a
 * batch of its own.
 */
export async function planBatches(services: WorkerServices, plan: PlanRequest): Promise<BatchPlan> {
  const run = { collectionId: plan.collection_id, runId: plan.run_id };
  const page = { after: plan.after, limit: PAGE_SIZE };
  const rows = await services.stores.runs.listPending(collectionScope(plan), run, page);
  const contents = rows.map((row) => ({ ...row, downloads: row.source === 'url' }));
  return planOf(contents, { ...plan, isLastPage: rows.length < PAGE_SIZE });
}

/** Returns the plan for as many contents of a page as a plan may hold; `next` is where the next plan begins. */
export function planOf(
  contents: readonly Packable[],
  { isLastPage, heeds_at_once: heedsAtOnce }: { isLastPage: boolean; heeds_at_once?: boolean },
): BatchPlan {
  const { batches, planned } = packFirst(contents);
  const isComplete = isLastPage && planned === contents.length;
  const next = isComplete ? null : (contents[planned - 1]?.content_id ?? null);
  if (!heedsAtOnce) return { batches, next };
  return { batches, next, at_once: batches.some(({ downloads }) => downloads) ? DOWNLOADS_AT_ONCE : BATCHES_AT_ONCE };
}

type Packable = { content_id: string; size: number | null; type?: string | null; downloads: boolean };

/** Groups as many of the first contents into batches as one plan may hold. `planned`: how many they are. */
function packFirst(contents: readonly Packable[]): { batches: BatchPlan['batches']; planned: number } {
  let planned = contents.length;
  for (;;) {
    const batches = packBatches(contents.slice(0, planned));
    if (batches.length <= MAX_BATCHES) return { batches, planned };
    planned = Math.floor((planned * MAX_BATCHES) / batches.length);
  }
}

/** Groups contents into batches, in their order. */
export function packBatches(contents: readonly Packable[]): BatchPlan['batches'] {
  const toBatch = (group: readonly { content_id: string }[], downloads: boolean) => ({
    content_ids: group.map(({ content_id: id }) => id),
    downloads,
  });
  const [urls, stored] = [contents.filter((one) => one.downloads), contents.filter((one) => !one.downloads)];
  return [
    ...groupBySize(stored, weightOf).map((group) => toBatch(group, false)),
    ...groupBySize(urls, ({ size }) => size ?? 0, { maxItems: MAX_DOWNLOADS }).map((group) => toBatch(group, true)),
  ];
}

/** The bytes of a content; those of plain text count as many times as less of them fit into a batch. */
function weightOf({ size, type }: Pick<Packable, 'size' | 'type'>): number {
  const isText = type?.startsWith('text/') && type !== 'text/html';
  return (size ?? 0) * (isText ? MAX_BATCH_BYTES / MAX_TEXT_BYTES : 1);
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
