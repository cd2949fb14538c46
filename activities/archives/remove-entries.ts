import { workspaceScope } from '#domain/access/scope.ts';
import type { DeletionKey } from '#domain/uploads/ingest-steps.ts';
import { enqueueReprojection } from '#operations/index/enqueue-reprojection.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import type { EntriesToRemove } from '#store/archives/entry-removals.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import { includeNewerObjects } from '#activities/contents/include-newer-objects.ts';
import type { StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const CONTENT_BATCH_SIZE = 100;
const CHUNK_BATCH_SIZE = 2_000;

/**
 * Removes entries of a content that are being deleted from the index and the database, for at most one time slice. Returns true
 * when none is left. The receipt of the deletion, if there is one, counts them.
 */
export async function removeEntries(
  services: WorkerServices,
  deletion: DeletionKey,
  step: StepContext,
): Promise<boolean> {
  const page = { contentId: deletion.content_id, limit: CONTENT_BATCH_SIZE };
  return repeatWithinTimeSlice(step, async () => {
    const entries = await services.stores.entryRemovals.nextBatch(workspaceScope(deletion), page);
    if (entries) await removeBatch(services, deletion, entries);
    return entries !== null;
  });
}

/**
 * Removes entries of one collection. Objects that a stale worker writes to the index later are found by the residues of their
 * runs.
 */
async function removeBatch(
  services: WorkerServices,
  deletion: DeletionKey,
  { contentIds, maxVersion, links }: EntriesToRemove,
): Promise<void> {
  const scope = workspaceScope(deletion);
  const id = deletion.deletion_id;
  const { stores, vectors } = services;
  const [link] = links;
  if (link) await stores.projections.waitForWriters(scope, link.collection_id, contentIds);
  for (const { tenant, provider, model, model_hash, dimensions } of links) {
    const space = { provider, model, model_hash, dimensions };
    await stores.deletions.addCounts(scope, id, {
      indexObjects: await vectors.deleteContents(space, tenant, { contentIds, maxVersion }),
    });
  }
  for (const each of links) {
    // They are a batch again, with a higher version.
    if (await includeNewerObjects(services, scope, { link: { ...each, version: maxVersion }, contentIds })) return;
  }
  if (!link) return;
  const key = { collectionId: link.collection_id, contentIds };
  for (let removed = CHUNK_BATCH_SIZE; removed === CHUNK_BATCH_SIZE;) {
    removed = await stores.transaction(async (inside) => {
      const chunks = await inside.entryRemovals.removeChunks(scope, { ...key, maxVersion, limit: CHUNK_BATCH_SIZE });
      await inside.deletions.addCounts(scope, id, { chunks });
      return chunks;
    });
  }
  const jobs = await stores.transaction(async (inside) => {
    const { renamed, ...removed } = await inside.entryRemovals.complete(scope, key);
    await inside.deletions.addCounts(scope, id, removed);
    return enqueueReprojection(inside, scope, renamed);
  });
  startWorkflows(services, jobs);
}
