import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The deletion of a collection: its workflow and its steps. Imported by workflows: no zod, no I/O. */

export type DeleteCollectionArgs = { workspace_id: string; collection_id: string; deletion_id: string };

/** Removes a collection with everything that is only in it, up to its receipt. */
export function deleteCollectionJob(args: DeleteCollectionArgs): JobStart {
  return {
    workflow_type: 'deleteCollection',
    workflow_id: `delete-collection/${args.deletion_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete collection ${args.collection_id}`,
  };
}

export type CollectionDeletionSteps = {
  /** Takes contents out of their runs, for half a minute; where to go on, null at the end. */
  endCollectionRuns(deletion: DeleteCollectionArgs & { after: string | null }): Promise<string | null>;
  /** Counts the objects of the collection and drops them all at once. */
  dropCollectionIndex(deletion: DeleteCollectionArgs): Promise<void>;
  /** Removes rows of chunks, contents and uploads, for half a minute; true when none is left. */
  removeCollectionRows(deletion: DeleteCollectionArgs): Promise<boolean>;
  /** Removes the collection and completes the receipt; false when something of it was found. */
  completeCollectionDeletion(deletion: DeleteCollectionArgs & { outbox_id: string }): Promise<boolean>;
};
