import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Name, id, arguments and steps of the workflow of a compress job. Imported by workflows: no zod, no I/O. */

export type CompressArgs = { workspace_id: string; job_id: string };

/** How a job ended: numbers only. */
export type CompressOutcome = { status: string; original_tokens: number | null; compressed_tokens: number | null };

/** Each looks at the row first: a job that is over is left alone. */
export type CompressionSteps = {
  /** Reads the text once: its windows, what it asks, what each window may keep. Gives the number of windows. */
  planCompression(job: CompressArgs): Promise<number>;
  /** Compresses windows from `next` on for half a minute; where to go on, or null at the end. */
  compressSlice(job: CompressArgs & { next: number }): Promise<number | null>;
  /** Puts the result together, announces it, and takes the job off the outbox. */
  completeCompression(job: CompressArgs & { outbox_id: string }): Promise<CompressOutcome>;
  /** Ends a job that cannot be completed, announces it, and takes it off the outbox. */
  failCompression(job: CompressArgs & { outbox_id: string; code: string; message: string }): Promise<CompressOutcome>;
};

export const COMPRESS_TEXT = 'compressText';

/** Compresses a text that was taken in. */
export function compressJob(args: CompressArgs, text: { strategy: string; sizeBytes: number }): JobStart {
  return {
    workflow_type: COMPRESS_TEXT,
    workflow_id: `compress/${args.job_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Compress ${text.sizeBytes} bytes by ${text.strategy}`,
  };
}
