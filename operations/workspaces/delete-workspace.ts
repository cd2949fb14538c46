import { requireWholeWorkspace, type Caller } from '#domain/access/caller.ts';
import type { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteWorkspaceJob } from '#domain/workspaces/workspace-deletion.ts';
import type { Stores } from '#store/stores.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { workspaceNotFound } from '#operations/access/caller-in-workspace.ts';

/**
 * Deletes the caller's workspace. One transaction hides the workspace with everything in it and deletes its keys; a workflow
 * then removes the data and completes the receipt. A second request returns the same deletion.
 * @throws AppError `not_found`, or `forbidden` for a caller that does not reach the whole workspace.
 */
export async function deleteWorkspace(services: Services, caller: Caller): Promise<DeletionAccepted> {
  requireWholeWorkspace(caller);
  const { deletion, jobs } = await services.stores.transaction((stores) => beginDeletion(stores, caller));
  startWorkflows(services, jobs);
  return { deletion_id: deletion.id, status: deletion.status };
}

async function beginDeletion(stores: Stores, { scope, principal: createdBy }: Caller) {
  const { workspaceId } = scope;
  const status = await stores.workspaceDeletions.lock(scope);
  if (status === null) throw workspaceNotFound();
  if (status === 'deleting') {
    const open = await stores.deletions.findUnfinished(scope, workspaceId);
    if (!open) throw workspaceNotFound();
    return { deletion: open, jobs: [] };
  }
  await stores.workspaceDeletions.begin(scope);
  const deletionId = await stores.deletions.insert(scope, {
    kind: 'workspace',
    subjectId: workspaceId,
    collectionId: null,
    createdBy,
  });
  const job = deleteWorkspaceJob({ workspace_id: workspaceId, deletion_id: deletionId });
  await stores.outbox.add(scope, [job]);
  return { deletion: { id: deletionId, status: 'pending' as const }, jobs: [job] };
}
