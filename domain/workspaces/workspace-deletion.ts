import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The deletion of a workspace: its workflow and its steps. Imported by workflows: no zod, no I/O. */

export type DeleteWorkspaceArgs = { workspace_id: string; deletion_id: string };

/** What removes a workspace is no work of that workspace. */
export const DELETE_WORKSPACE = 'deleteWorkspace';

/** Removes a workspace with everything in it, up to its receipt. */
export function deleteWorkspaceJob(args: DeleteWorkspaceArgs): JobStart {
  return {
    workflow_type: DELETE_WORKSPACE,
    workflow_id: `delete-workspace/${args.deletion_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete workspace ${args.workspace_id}`,
  };
}

/** A tenant of the index, after which a step goes on. */
export type GivenUp = { tenant: string } & EmbeddingSpace;

/** Each works for half a minute at most; true, or null, when it came to its end. */
export type WorkspaceDeletionSteps = {
  /** Ends every workflow of the workspace and takes its work off the outbox. */
  endWorkspaceWork(deletion: DeleteWorkspaceArgs): Promise<boolean>;
  /** Counts the objects of every tenant and notes that it is to be dropped. */
  giveUpIndex(deletion: DeleteWorkspaceArgs): Promise<boolean>;
  /** Removes rows and files. */
  removeWorkspaceRows(deletion: DeleteWorkspaceArgs): Promise<boolean>;
  /** Drops the tenants; where to go on. */
  dropGivenUp(deletion: DeleteWorkspaceArgs & { after: GivenUp | null }): Promise<GivenUp | null>;
  /** Removes the workspace and completes the receipt; false when something of it was found. */
  completeWorkspaceDeletion(deletion: DeleteWorkspaceArgs & { outbox_id: string }): Promise<boolean>;
};
