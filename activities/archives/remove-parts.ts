import type { DeletionKey } from '#domain/uploads/ingest-steps.ts';
import { enqueueReprojection } from '#operations/index/enqueue-reprojection.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import type { PartsToRemove } from '#store/archives/part-removals.ts';
import { whileTimeLeft } from '#activities/time-budget.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const CONTENTS_AT_ONCE = 100;
const CHUNKS_AT_ONCE = 2_000;

/**
 * Removes what came out of a content and is being deleted, from index and rows, for at most half a minute; true when none is left.
 * The receipt, where there is one, counts them.
 */
export async function removeParts(
  services: WorkerServices,
  deletion: DeletionKey,
  step: StepContext,
): Promise<boolean> {
  const scope = { ...scopeOf(deletion), collectionIds: null };
  const page = { contentId: deletion.content_id, limit: CONTENTS_AT_ONCE };
  return whileTimeLeft(step, async () => {
    const parts = await services.stores.partRemovals.next(scope, page);
    if (parts) await removeSome(services, deletion, parts);
    return parts !== null;
  });
}

/** Removes parts of one collection. What the index has of them after all is found by the residues of their runs. */
async function removeSome(
  services: WorkerServices,
  deletion: DeletionKey,
  { contentIds, links }: PartsToRemove,
): Promise<void> {
  const scope = { ...scopeOf(deletion), collectionIds: null };
  const id = deletion.deletion_id;
  const { stores, vectors } = services;
  for (const { tenant, provider, model, model_hash, dimensions } of links) {
    const space = { provider, model, model_hash, dimensions };
    await stores.deletions.addCounts(scope, id, {
      indexObjects: await vectors.deleteContents(space, tenant, contentIds),
    });
  }
  const [link] = links;
  if (!link) return;
  const key = { collectionId: link.collection_id, contentIds };
  for (let removed = CHUNKS_AT_ONCE; removed === CHUNKS_AT_ONCE;) {
    removed = await stores.transaction(async (inside) => {
      const chunks = await inside.partRemovals.removeChunks(scope, { ...key, limit: CHUNKS_AT_ONCE });
      await inside.deletions.addCounts(scope, id, { chunks });
      return chunks;
    });
  }
  const jobs = await stores.transaction(async (inside) => {
    const { renamed, ...gone } = await inside.partRemovals.complete(scope, key);
    await inside.deletions.addCounts(scope, id, gone);
    return enqueueReprojection(inside, scope, renamed);
  });
  startWorkflows(services, scope, jobs);
}
