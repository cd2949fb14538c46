import { deletionWorkflowId } from '#domain/deletion-kinds.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The workflow that deletes the memories of a user, and its activities. Workflows import this file: no zod, no I/O. */

/** The name of the user is in the receipt: histories have ids only. */
export type ForgetUserArgs = { workspace_id: string; deletion_id: string };

/** Returns the job that deletes the memories of a user and completes the receipt. */
export function forgetUserJob(args: ForgetUserArgs): JobStart {
  return {
    workflow_type: 'forgetUser',
    workflow_id: deletionWorkflowId('user_memories', args.deletion_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete all memories of a user, receipt ${args.deletion_id}`,
  };
}

export type UserDeletionSteps = {
  /** Removes memories with their versions for one time slice. Returns true when none is left. */
  removeUserMemories(deletion: ForgetUserArgs): Promise<boolean>;
  /** Removes the index objects of removed memories for one time slice, in the order of their ids. Returns null at the end. */
  removeUserObjects(deletion: ForgetUserArgs & { after: string | null }): Promise<string | null>;
  /** Counts what is left in the index for one time slice: the cursor, null at the end, and whether any object was found. */
  verifyUserObjects(
    deletion: ForgetUserArgs & { after: string | null },
  ): Promise<{ after: string | null; isAny: boolean }>;
  /** Completes the receipt; false when memories are left. */
  completeUserDeletion(deletion: ForgetUserArgs & { outbox_id: string }): Promise<boolean>;
};
