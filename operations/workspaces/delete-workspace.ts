import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteWorkspaceJob } from '#domain/workspaces/workspace-deletion.ts';
import type { Stores } from '#store/stores.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { workspaceNotFound } from './caller-in-workspace.ts';

/**
 * Deletes the caller's workspace: its own transaction takes it, its keys and everything in it out of every answer, a workflow
 * removes it and completes the receipt. Deleting what is being deleted gives the same deletion, to whoever still gets in.
 * @throws AppError `not_found`, `forbidden` for who does not reach all of it.
 */
export async function deleteWorkspace(services: Services, caller: Caller): Promise<DeletionAccepted> {
  if (caller.scope.collectionIds !== null) {
    throw new AppError('forbidden', 'You reach some collections of this workspace only: you cannot delete all of it.');
  }
  const { deletion, jobs } = await services.stores.transaction((stores) => beginDeletion(stores, caller));
  startWorkflows(services, caller.scope, jobs);
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
