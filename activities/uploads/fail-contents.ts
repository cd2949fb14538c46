import { collectionScope } from '#domain/access/scope.ts';
import { AppError, type ErrorCode } from '#domain/app-error.ts';
import { missingEmbedder, type EmbeddingSpace } from '#domain/embedder.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { isPassing } from '#activities/failures.ts';
import { runContentsOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

export type ContentFailure = { content_id: string; code: ErrorCode; message: string };

/** Marks contents as failed and counts them in the metrics. */
export async function failContents(
  services: WorkerServices,
  batch: Batch,
  failures: readonly ContentFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const failed = await services.stores.runs.fail(collectionScope(batch), runContentsOf(batch), failures);
  for (const failure of failures) {
    if (failed.includes(failure.content_id)) services.metrics.countContent('failed', failure.code);
  }
}

/**
 * Marks a content as failed that was processed alone; the other contents continue. Rethrows infrastructure errors, which say
 * nothing about the content.
 */
export async function failContent(
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
  const message = known?.message ?? 'An unexpected error; the worker log has the details. Retry, or report it.';
  await failContents(services, batch, [{ content_id: contentId, code, message }]);
}

/** Marks all contents of a batch as failed because the embedder of the collection is not configured on this worker. */
export function failWithoutEmbedder(
  services: WorkerServices,
  batch: Batch,
  space: EmbeddingSpace | undefined,
): Promise<void> {
  const instead = 'or change the embedder: POST /collections/{collection_id}/reembed. Then retry';
  const { all } = services.embedders;
  const message = space ? missingEmbedder(space, { all, instead }) : 'The collection has no index.';
  const failures = batch.content_ids.map((content_id) => ({
    content_id,
    code: 'embedder_unavailable' as const,
    message,
  }));
  return failContents(services, batch, failures);
}
