import type { ErrorCode } from '#domain/app-error.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { ReembeddingStatus } from '#domain/statuses.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { ReindexPart } from './reindex-job.ts';

/** The workflow that changes the embedder of a collection, and its activities. Workflows import this file: no zod, no I/O. */

export type ReembedArgs = { workspace_id: string; collection_id: string; reembedding_id: string };

/** Returns the job that builds an index with another embedder beside the present one, and switches to it. */
export function reembedJob(args: ReembedArgs): JobStart {
  return {
    workflow_type: 'reembedCollection',
    workflow_id: reembedWorkflowId(args.reembedding_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Change the embedder of collection ${args.collection_id}`,
  };
}

export function reembedWorkflowId(reembeddingId: string): string {
  return `reembed/${reembeddingId}`;
}

/** What the rows say. `gone`: the collection is being deleted, which removes everything. */
export type ReembedProgress = {
  status: ReembeddingStatus | 'gone';
  contents: number;
  total_contents: number;
  chunks: number;
};

/** Short activities. All are idempotent: a repeated one finds what it has done, and returns the same. */
export type ReembedSteps = {
  /** Creates the tenant of the new index and counts the contents. */
  beginReembedding(reembedding: ReembedArgs): Promise<ReembedProgress>;
  findReembedding(reembedding: ReembedArgs): Promise<ReembedProgress>;
  /** Makes the new index the one that is searched, if it has everything; `building` when something is left to write. */
  switchIndex(reembedding: ReembedArgs): Promise<ReembedProgress>;
  /** After an error that retries have not mended: gives up the new index if its embedder rejects a text, otherwise pauses. */
  stopReembedding(reembedding: ReembedArgs & { code: ErrorCode; message: string }): Promise<ReembedProgress>;
  /** Drops the index that is not used, the old or the new one, and ends the re-embedding. */
  dropRetiredIndex(reembedding: ReembedArgs): Promise<ReembedProgress>;
};

/** The last chunk that was written of a part, in the version that its content had. */
export type BuildPosition = { content: string; version: number; chunk: number };

export type ReembedSliceArgs = ReembedArgs & { part: ReindexPart; after: BuildPosition | null };

/**
 * Embeds and writes what the new index lacks in one part after a position, for one time slice. `after`: where it stopped, null at
 * the end of the part.
 */
export type ReembedSlice = {
  reembedSlice(slice: ReembedSliceArgs): Promise<ReembedProgress & { after: BuildPosition | null }>;
};
