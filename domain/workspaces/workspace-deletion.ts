import type { EmbeddingSpace } from '#domain/embedder.ts';
import { deletionWorkflowId } from '#domain/deletion-kinds.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Workflow and activities that delete a workspace. Imported by workflows: no zod, no I/O. */

export type DeleteWorkspaceArgs = { workspace_id: string; deletion_id: string };

/** Workflow type of the deletion, which is exempt when the other workflows of the workspace are terminated. */
export const DELETE_WORKSPACE = 'deleteWorkspace';

/** Returns the job that deletes a workspace with everything in it and completes the receipt. */
export function deleteWorkspaceJob(args: DeleteWorkspaceArgs): JobStart {
  return {
    workflow_type: DELETE_WORKSPACE,
    workflow_id: deletionWorkflowId('workspace', args.deletion_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete workspace ${args.workspace_id}`,
  };
}

/** A tenant of the index that is to be dropped; also the position after which an activity continues. */
export type DroppedTenantKey = { tenant: string } & EmbeddingSpace;

/** Each activity works for one time slice; it returns true, or null, when it is complete. */
export type WorkspaceDeletionSteps = {
  /** Terminates every workflow of the workspace and deletes its outbox rows. */
  endWorkspaceWork(deletion: DeleteWorkspaceArgs): Promise<boolean>;
  /** Counts the objects of every tenant and schedules the tenants for dropping. */
  giveUpIndex(deletion: DeleteWorkspaceArgs): Promise<boolean>;
  /** Removes rows and files. */
  removeWorkspaceRows(deletion: DeleteWorkspaceArgs): Promise<boolean>;
  /** Drops the scheduled tenants; returns the position to continue from. */
  dropGivenUp(deletion: DeleteWorkspaceArgs & { after: DroppedTenantKey | null }): Promise<DroppedTenantKey | null>;
  /** Deletes the workspace and completes the receipt; false when anything of the workspace is left. */
  completeWorkspaceDeletion(deletion: DeleteWorkspaceArgs & { outbox_id: string }): Promise<boolean>;
};
