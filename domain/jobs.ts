import type { TaskQueue } from './task-queues.ts';

/** A workflow to start, as an outbox row holds it. Ids, counts and cursors only: never text, vectors or secrets. */
export type JobStart = {
  /** Name of the exported workflow function. */
  workflow_type: string;
  /** Contains the run id, so that a second start is recognised as the same. */
  workflow_id: string;
  workspace_id: string;
  task_queue: TaskQueue;
  /** One line for the Temporal UI. */
  summary: string;
  args: unknown;
};

export type JobState = 'running' | 'completed' | 'failed' | 'not_found';

/** Starts and reaches workflows. The API never runs them. */
export interface Jobs {
  /** Starts the workflow; one that was started before under this id is a success. @throws AppError `dependency_unavailable`. */
  start(job: JobStart): Promise<void>;
  /**
   * Starts the workflow, or joins the one that runs under this id, and waits for its result; null when it still runs after
   * `waitMs`. @throws AppError `dependency_unavailable`, also when the workflow was ended from outside.
   */
  join(job: JobStart, waitMs: number): Promise<{ result: unknown } | null>;
  /** The same without waiting for its result. @throws AppError `dependency_unavailable`. */
  startOrJoin(job: JobStart): Promise<void>;
  /** Wakes a workflow; one that is gone is no error, for row state decides. @throws AppError `dependency_unavailable`. */
  signal(workflowId: string, signal: string): Promise<void>;
  /** `failed` covers failed, terminated, cancelled and timed out. @throws AppError `dependency_unavailable`. */
  state(workflowId: string): Promise<JobState>;
  /** Ends a workflow where it is; one that is over, or never was, is no error. @throws AppError `dependency_unavailable`. */
  terminate(workflowId: string, reason: string): Promise<void>;
  /** Ids of workflows of a workspace that run, but for those of this type; at most `limit`. @throws AppError `dependency_unavailable`. */
  running(workspaceId: string, options: { exceptType: string; limit: number }): Promise<string[]>;
  /** @throws AppError `dependency_unavailable`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
