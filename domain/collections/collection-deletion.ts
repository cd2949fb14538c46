import { deletionWorkflowId } from '#domain/deletion-kinds.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The workflow that deletes a collection, and its activities. Workflows import this file: no zod, no I/O. */

export type DeleteCollectionArgs = { workspace_id: string; collection_id: string; deletion_id: string };

/** Returns the job that deletes a collection, everything that is only in it, and completes the receipt. */
export function deleteCollectionJob(args: DeleteCollectionArgs): JobStart {
  return {
    workflow_type: 'deleteCollection',
    workflow_id: deletionWorkflowId('collection', args.deletion_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete collection ${args.collection_id}`,
  };
}

export type CollectionDeletionSteps = {
  /** Ends the runs of contents for one time slice (30 s). Returns the cursor, null at the end. */
  endCollectionRuns(deletion: DeleteCollectionArgs & { after: string | null }): Promise<string | null>;
  /** Counts the objects of the collection in the index and drops its tenants. */
  dropCollectionIndex(deletion: DeleteCollectionArgs): Promise<void>;
  /** Removes rows of chunks, contents and uploads for one time slice (30 s). Returns true when none is left. */
  removeCollectionRows(deletion: DeleteCollectionArgs): Promise<boolean>;
  /** Removes the collection and completes the receipt; false when rows or tenants of it are left. */
  completeCollectionDeletion(deletion: DeleteCollectionArgs & { outbox_id: string }): Promise<boolean>;
};
