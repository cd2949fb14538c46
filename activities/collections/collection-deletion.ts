import type { DeleteCollectionArgs } from '#domain/collections/collection-deletion.ts';
import { enqueueReprojection } from '#operations/index/enqueue-reprojection.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';
import type { CollectionDeletionKey, CollectionTenant } from '#store/collections/collection-deletions.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import type { StepContext } from '#activities/step.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const BATCH_RUNS = 500;
const REMOVAL_BATCH_SIZE = { contents: 200, chunks: 2_000 };
const UPLOAD_BATCH_ROWS = 5_000;

/** Ends the runs of contents, in the order of their ids, for one time slice. Returns the cursor, null at the end. */
export async function endCollectionRuns(
  services: WorkerServices,
  deletion: DeleteCollectionArgs & { after: string | null },
  step: StepContext,
): Promise<string | null> {
  let { after } = deletion;
  return repeatWithinTimeSlice(step, async () => {
    const page = { after, limit: BATCH_RUNS };
    const { ended, wakes } = await services.stores.transaction(async (stores) => {
      const runs = await stores.collectionDeletions.endRuns(collectionScope(deletion), deletionKey(deletion), page);
      // Workflows of paused contents wait for a wake-up; the others notice with their next write.
      return { ended: runs, wakes: await enqueueWakeUps(stores, collectionScope(deletion), runs.workflowIds) };
    });
    sendWakeUps(services, wakes);
    after = ended.last;
    return ended.count === BATCH_RUNS;
  }).then((isDone) => (isDone ? null : after));
}

/** Records the number of index objects in the receipt and drops the tenants of the collection. */
export async function dropCollectionIndex(services: WorkerServices, deletion: DeleteCollectionArgs): Promise<void> {
  const scope = collectionScope(deletion);
  const tenants = await services.stores.collectionDeletions.listTenants(scope, deletion.collection_id);
  const counts = await Promise.all(
    tenants.map((tenant) => services.vectors.countObjects(spaceOf(tenant), tenant.tenant, {})),
  );
  const objects = counts.reduce((sum, count) => sum + count, 0);
  // Recorded before the tenants are dropped, so that the count survives a crash in between.
  await services.stores.collectionDeletions.recordObjectCount(scope, deletionKey(deletion), objects);
  await Promise.all(tenants.map((tenant) => services.vectors.dropTenant(spaceOf(tenant), tenant.tenant)));
}

/** Removes chunks, contents and uploads for one time slice. Returns true when none is left. */
export async function removeCollectionRows(
  services: WorkerServices,
  deletion: DeleteCollectionArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = collectionScope(deletion);
  const key = deletionKey(deletion);
  const removeContents = async () => {
    const removed = await services.stores.transaction(async (stores) => {
      const renamed = await stores.collectionDeletions.removeContents(scope, key, REMOVAL_BATCH_SIZE);
      return renamed && { jobs: await enqueueReprojection(stores, scope, renamed) };
    });
    if (removed) startWorkflows(services, removed.jobs);
    return removed !== null;
  };
  return repeatWithinTimeSlice(
    step,
    async () =>
      (await removeContents()) ||
      (await services.stores.collectionDeletions.removeUploads(scope, key, UPLOAD_BATCH_ROWS)),
  );
}

/** Removes the collection and completes the receipt; returns false when tenants or contents are left. */
export async function completeCollectionDeletion(
  services: WorkerServices,
  deletion: DeleteCollectionArgs & { outbox_id: string },
): Promise<boolean> {
  const scope = collectionScope(deletion);
  const tenants = await services.stores.collectionDeletions.listTenants(scope, deletion.collection_id);
  const exist = await Promise.all(
    tenants.map((tenant) => services.vectors.tenantExists(spaceOf(tenant), tenant.tenant)),
  );
  if (exist.includes(true)) return false;
  if (!(await services.stores.collectionDeletions.complete(scope, deletionKey(deletion)))) return false;
  await services.stores.outbox.complete(scope, deletion.outbox_id);
  return true;
}

function deletionKey({
  deletion_id: deletionId,
  collection_id: collectionId,
}: DeleteCollectionArgs): CollectionDeletionKey {
  return { deletionId, collectionId };
}

function spaceOf({ provider, model, model_hash, dimensions }: CollectionTenant) {
  return { provider, model, model_hash, dimensions };
}
