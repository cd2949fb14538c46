import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The workflow that rebuilds the search index of a workspace, and its activities. Workflows import this file: no zod, no I/O. */

export type ReindexArgs = { workspace_id: string; reindexing_id: string };

/** Returns the job that writes everything of a workspace to the index again. */
export function reindexJob(args: ReindexArgs): JobStart {
  return {
    workflow_type: 'reindexWorkspace',
    workflow_id: `reindex/${args.reindexing_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Rebuild the index of workspace ${args.workspace_id}`,
  };
}

/** Progress of a reindexing. */
export type ReindexProgress = { contents: number; total_contents: number; memories: number; total_memories: number };

/** Activities that track the progress. */
export type ReindexSteps = {
  /** Counts the contents and memories to write, and marks all memories for the loop that indexes them. Idempotent. */
  beginReindexing(reindexing: ReindexArgs): Promise<ReindexProgress>;
  /** Counts the memories that have been written; null when there are no more to wait for. */
  followMemories(reindexing: ReindexArgs): Promise<ReindexProgress | null>;
  completeReindexing(reindexing: ReindexArgs & { outbox_id: string }): Promise<void>;
};

/** Embeds and writes chunks for one time slice; null at the end. The cursor is stored in the row. */
export type ReindexSlice = { reindexSlice(reindexing: ReindexArgs): Promise<ReindexProgress | null> };
