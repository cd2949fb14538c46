import { AppError } from '#domain/app-error.ts';
import { embedderName, type EmbeddingSpace } from '#domain/embedder.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import type { Step } from '#store/uploads/run-stages.ts';
import { isPassing } from '#activities/failures.ts';
import { scopeOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Work that began this often without an end was the death of two workers; the next time it is not begun. */
const MAX_DEAD_ATTEMPTS = 2;

export type ClaimedContents = { owned: OwnedContent[]; paused: string[]; further: string[] };

/** The run of a batch, for the stores. */
export function sliceOf(batch: Batch, contentIds: readonly string[] = batch.content_ids) {
  return { collectionId: batch.collection_id, runId: batch.run_id, contentIds };
}

/**
 * Takes contents into a stage. One that two dead workers were busy with fails alone, so that it cannot take down its
 * neighbours for ever.
 */
export async function claimContents(
  services: WorkerServices,
  batch: Batch,
  step: Step & { contentIds: readonly string[] },
): Promise<ClaimedContents> {
  const scope = scopeOf(batch);
  const { owned, paused, further } = await services.stores.runs.begin(scope, sliceOf(batch, step.contentIds), step);
  const dangerous = owned.filter((content) => content.dead_attempts > MAX_DEAD_ATTEMPTS);
  await failContents(
    services,
    batch,
    dangerous.map((content) => ({
      content_id: content.content_id,
      code: 'repeated_crash',
      message: `The worker died twice while ${step.stage} this content. Check the file; retry to try again.`,
    })),
  );
  return { owned: owned.filter((content) => content.dead_attempts <= MAX_DEAD_ATTEMPTS), paused, further };
}

export type ContentFailure = { content_id: string; code: string; message: string };

/** Ends contents as failed and counts them. */
export async function failContents(
  services: WorkerServices,
  batch: Batch,
  failures: readonly ContentFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const failed = await services.stores.runs.fail(scopeOf(batch), sliceOf(batch), failures);
  for (const failure of failures) {
    if (failed.includes(failure.content_id)) services.metrics.countContent('failed', failure.code);
  }
}

/**
 * A content whose step failed though it went alone: it ends as failed, and its neighbours go on. What the infrastructure
 * did wrong is thrown on, for it says nothing about the content.
 */
export async function failAlone(
  services: WorkerServices,
  batch: Batch,
  failed: { contentId: string; error: unknown },
): Promise<void> {
  const { contentId, error } = failed;
  if (isPassing(error)) throw error;
  const known = error instanceof AppError ? error : null;
  if (!known)
    services.log.error(
      { error, content_id: contentId, workspace_id: batch.workspace_id },
      'a content failed unexpectedly',
    );
  const code = known?.code ?? 'internal';
  const message = known?.message ?? 'An unexpected error, which the log of the worker describes. Retry, or report it.';
  await failContents(services, batch, [{ content_id: contentId, code, message }]);
}

/** Ends a batch whose collection has an embedder that this worker has not. */
export function failWithoutEmbedder(
  services: WorkerServices,
  batch: Batch,
  space: EmbeddingSpace | undefined,
): Promise<void> {
  const name = space ? embedderName(space) : 'none';
  const message = `The embedder of the collection (${name}) is not configured on this worker. Configure it, then retry.`;
  const failures = batch.content_ids.map((content_id) => ({ content_id, code: 'embedder_unavailable', message }));
  return failContents(services, batch, failures);
}
