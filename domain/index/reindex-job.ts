import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** The index of a workspace made anew: its workflow and its steps. Imported by workflows: no zod, no I/O. */

export type ReindexArgs = { workspace_id: string; reindexing_id: string };

/** Writes everything of a workspace into the index again. */
export function reindexJob(args: ReindexArgs): JobStart {
  return {
    workflow_type: 'reindexWorkspace',
    workflow_id: `reindex/${args.reindexing_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Make the index of workspace ${args.workspace_id} anew`,
  };
}

/** What is done so far; counts only. */
export type ReindexProgress = { contents: number; total_contents: number; memories: number; total_memories: number };

/** Bookkeeping of it. */
export type ReindexSteps = {
  /** Counts what there is to do and has memories written anew by the loop that looks after them; once. */
  beginReindexing(reindexing: ReindexArgs): Promise<ReindexProgress>;
  /** Counts memories that are written; null when none is left that the loop still tries often. */
  followMemories(reindexing: ReindexArgs): Promise<ReindexProgress | null>;
  completeReindexing(reindexing: ReindexArgs & { outbox_id: string }): Promise<void>;
};

/** Embeds and writes chunks, for half a minute; null at the end. Where it goes on is in the rows. */
export type ReindexSlice = { reindexSlice(reindexing: ReindexArgs): Promise<ReindexProgress | null> };
