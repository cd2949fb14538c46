import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The workflow that rebuilds the search index of a workspace, and its activities. Workflows import this file: no zod, no I/O. */

export type ReindexArgs = { workspace_id: string; reindexing_id: string };

/** One of `of` parts of all contents, from 0 on. A content is in one part by its id. */
export type ReindexPart = { number: number; of: number };

/** Parts that are written at the same time, by as many workers as have room for them. */
export const REINDEX_PARTS = 4;

/** Returns the job that writes everything of a workspace to the index again. */
export function reindexJob(args: ReindexArgs): JobStart {
  return {
    workflow_type: 'reindexWorkspace',
    workflow_id: reindexWorkflowId(args.reindexing_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Rebuild the index of workspace ${args.workspace_id}`,
  };
}

export function reindexWorkflowId(reindexingId: string): string {
  return `reindex/${reindexingId}`;
}

/** Progress of a reindexing. */
export type ReindexProgress = { contents: number; total_contents: number; memories: number; total_memories: number };

/** Activities that track the progress. */
export type ReindexSteps = {
  /** Begins a new epoch of the index, counts what to write, and marks all memories for the loop that indexes them. Idempotent. */
  beginReindexing(reindexing: ReindexArgs): Promise<ReindexProgress>;
  /** Counts the memories that have been written; null when there are no more to wait for. */
  followMemories(reindexing: ReindexArgs): Promise<ReindexProgress | null>;
  completeReindexing(reindexing: ReindexArgs & { outbox_id: string }): Promise<void>;
};

/** Of a time slice. `part`: missing in workflows that were started before there were parts. */
export type ReindexSliceArgs = ReindexArgs & { part?: ReindexPart };

/** Embeds and writes the chunks of a part for one time slice; null at its end. The cursor is stored in the row. */
export type ReindexSlice = { reindexSlice(slice: ReindexSliceArgs): Promise<ReindexProgress | null> };
