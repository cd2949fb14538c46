import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Name, id, arguments and activities of the compression workflow. Workflows import this file: no zod, no I/O. */

export type CompressArgs = { workspace_id: string; job_id: string };

/** How a job ended. Recorded in workflow histories: no text. */
export type CompressOutcome = { status: string; original_tokens: number | null; compressed_tokens: number | null };

/** Activities of the workflow. Each reads the row first and leaves a job that has ended unchanged. */
export type CompressionSteps = {
  /** Reads the text once and stores the plan: its windows, their token budgets, the query. Returns the number of windows. */
  planCompression(job: CompressArgs): Promise<number>;
  /** Compresses windows from `next` on for 30 seconds. Returns the next window, or null when none is left. */
  compressSlice(job: CompressArgs & { next: number }): Promise<number | null>;
  /** Completes the job: writes the report, announces the result, and completes the outbox row. */
  completeCompression(job: CompressArgs & { outbox_id: string }): Promise<CompressOutcome>;
  /** Fails the job, announces the failure, and completes the outbox row. */
  failCompression(job: CompressArgs & { outbox_id: string; code: string; message: string }): Promise<CompressOutcome>;
};

const COMPRESS_TEXT = 'compressText';

/** The job that compresses an accepted text. */
export function compressJob(args: CompressArgs, text: { strategy: string; sizeBytes: number }): JobStart {
  return {
    workflow_type: COMPRESS_TEXT,
    workflow_id: compressionWorkflowId(args.job_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Compress ${text.sizeBytes} bytes by ${text.strategy}`,
  };
}

export function compressionWorkflowId(jobId: string): string {
  return `compress/${jobId}`;
}
