import type { Caller } from '#domain/access/caller.ts';
import { deleteCollectionJob } from '#domain/collections/collection-deletion.ts';
import { reembedWorkflowId } from '#domain/index/reembed-job.ts';
import type { DeletionAccepted } from '#domain/records/deletion.ts';
import type { Stores } from '#store/stores.ts';
import { collectionNotFound } from './collections.ts';
import type { Services } from '#operations/services.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

/**
 * Deletes a collection, active or archived. One transaction hides it and everything that is only in it; a workflow then removes
 * runs, index and rows, and completes the receipt. Deleting again returns the same deletion.
 * @throws AppError `not_found`.
 */
export async function deleteCollection(services: Services, caller: Caller, id: string): Promise<DeletionAccepted> {
  const { deletion, jobs, wakes } = await services.stores.transaction((stores) => acceptDeletion(stores, caller, id));
  startWorkflows(services, jobs);
  sendWakeUps(services, wakes);
  return { deletion_id: deletion.id, status: deletion.status };
}

async function acceptDeletion(stores: Stores, { scope, principal: createdBy }: Caller, id: string) {
  // Lock order: the tree before any row, as every change of parents does.
  await stores.collectionChanges.lockTree(scope);
  // Waits for uploads that are being accepted; later ones are rejected.
  const status = await stores.collectionChanges.lock(scope, id);
  if (status === null) {
    const open = await stores.deletions.findUnfinished(scope, id);
    if (!open) throw collectionNotFound();
    return { deletion: open, jobs: [], wakes: [] };
  }
  await stores.collectionChanges.setStatus(scope, id, 'deleting');
  await stores.collectionChanges.detachChildren(scope, id);
  const deletionId = await stores.deletions.insert(scope, {
    kind: 'collection',
    subjectId: id,
    collectionId: id,
    createdBy,
  });
  const job = deleteCollectionJob({ workspace_id: scope.workspaceId, collection_id: id, deletion_id: deletionId });
  await stores.outbox.add(scope, [job]);
  // A change of the embedder ends, also one that is paused.
  const change = await stores.reembeddings.find(scope, id);
  const workflowId = change && (await stores.outbox.findWorkflowId(scope, reembedWorkflowId(change.id)));
  const wakes = await enqueueWakeUps(stores, scope, [workflowId]);
  return { deletion: { id: deletionId, status: 'pending' as const }, jobs: [job], wakes };
}
