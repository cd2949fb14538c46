import { startTimeSlice } from '#activities/time-slice.ts';
import { residualVersions } from '#domain/contents/residual-versions.ts';
import type { DeletionKey } from '#domain/uploads/ingest-steps.ts';
import { enqueueReprojection } from '#operations/index/enqueue-reprojection.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import type { IndexedLink } from '#store/contents/deletions.ts';
import { includeNewerObjects } from './include-newer-objects.ts';
import type { StepContext } from '#activities/step.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const BATCH_ROWS = 2_000;

function spaceOf({ provider, model, model_hash, dimensions }: IndexedLink) {
  return { provider, model, model_hash, dimensions };
}

/**
 * Deletes the objects of a content, up to its version in each collection, from the index, when nobody rewrites them any more: Weaviate
 * (1.38) may keep entries of an object that is deleted while it is written.
 */
export async function removeFromIndex(services: WorkerServices, deletion: DeletionKey): Promise<void> {
  const scope = workspaceScope(deletion);
  const links = await services.stores.deletions.findLinks(scope, deletion.content_id);
  for (const link of links) {
    await services.stores.projections.waitForWriters(scope, link.collection_id, [deletion.content_id]);
    const indexObjects = await services.vectors.deleteContent(spaceOf(link), link.tenant, {
      contentId: deletion.content_id,
      versions: residualVersions([], link.version),
    });
    await services.stores.deletions.addCounts(scope, deletion.deletion_id, { indexObjects });
  }
}

/** Removes chunk rows for one time slice. Returns true when none is left. */
export async function removeChunks(
  services: WorkerServices,
  deletion: DeletionKey,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const timeSlice = startTimeSlice();
  const links = await services.stores.deletions.findLinks(scope, deletion.content_id);
  for (const link of links) {
    const key = { contentId: deletion.content_id, collectionId: link.collection_id };
    for (let removed = BATCH_ROWS; removed === BATCH_ROWS;) {
      if (timeSlice.isOver() || step.signal.aborted) return false;
      removed = await services.stores.transaction(async (stores) => {
        const chunks = await stores.chunks.deleteVersions(scope, key, {
          keep: [],
          maxVersion: link.version,
          limit: BATCH_ROWS,
        });
        await stores.deletions.addCounts(scope, deletion.deletion_id, { chunks });
        return chunks;
      });
    }
  }
  return true;
}

/** Removes the last rows and completes the receipt; returns false when the index still has objects. */
export async function completeDeletion(
  services: WorkerServices,
  deletion: DeletionKey & { outbox_id: string },
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const links = await services.stores.deletions.findLinks(scope, deletion.content_id);
  for (const link of links) {
    const of = { contentIds: [deletion.content_id] };
    if (await services.vectors.hasObjects(spaceOf(link), link.tenant, of)) {
      await includeNewerObjects(services, scope, { link, ...of });
      return false;
    }
  }
  const jobs = await services.stores.transaction(async (stores) => {
    const isRenamed = await stores.deletions.complete(scope, deletion.deletion_id, deletion.content_id);
    return enqueueReprojection(stores, scope, isRenamed ? [deletion.content_id] : []);
  });
  startWorkflows(services, jobs);
  await services.stores.outbox.complete(scope, deletion.outbox_id);
  return true;
}
