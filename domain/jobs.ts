import type { QueueBacklog, TaskQueue } from './task-queues.ts';

/** Names of the workflows that requests and other workflows start; `refreshDueConnections` is started by a schedule. */
export type WorkflowType =
  | 'ingestUploadV2'
  | 'ingestBatchV2'
  | 'crawlSite'
  | 'compressText'
  | 'deliverToReceiver'
  // Running ones end; no new ones are started.
  | 'ingestUpload'
  | 'ingestBatch'
  | 'deliverWebhook'
  | 'summariseConversation'
  | 'extractMemories'
  | 'forgetUser'
  | 'deleteContent'
  | 'deleteParts'
  | 'deleteCollection'
  | 'deleteWorkspace'
  | 'reprojectContents'
  | 'reindexWorkspace'
  | 'reembedCollection'
  | 'oauthRefresh';

/** A request to start a workflow, as an outbox row stores it. Ids, counts and cursors only: never text, vectors or secrets. */
export type JobStart = {
  /** Name of the exported workflow function. */
  workflow_type: WorkflowType;
  /** Contains the run id, so that a second start is recognised as the same. */
  workflow_id: string;
  workspace_id: string;
  task_queue: TaskQueue;
  /** One line for the Temporal UI. */
  summary: string;
  /** Names of what the workflow works on, for the Temporal UI. */
  memo?: Readonly<Record<string, string>> | null;
  args: unknown;
};

export type JobState = 'running' | 'completed' | 'failed' | 'not_found';

/** Starts workflows and calls running ones; workers run them. Every method throws AppError `dependency_unavailable`. */
export interface Jobs {
  /** Starts the workflow. Succeeds without effect when a workflow with this id was started before. */
  start(job: JobStart): Promise<void>;
  /**
   * Starts the workflow, or joins the one that runs under this id, and waits for its result. Returns null when it still runs
   * after `waitMs`. A workflow that was ended from outside is `dependency_unavailable` as well.
   */
  join(job: JobStart, waitMs: number): Promise<{ result: unknown } | null>;
  /** Starts the workflow, or joins the one that runs under this id, without waiting for its result. */
  startOrJoin(job: JobStart): Promise<void>;
  /** Sends a signal. A workflow that no longer exists is not an error, because the rows hold the state. */
  signal(workflowId: string, signal: string): Promise<void>;
  /** `failed` covers failed, terminated, cancelled and timed out. */
  state(workflowId: string): Promise<JobState>;
  /** Terminates a workflow. One that has ended, or never existed, is not an error. */
  terminate(workflowId: string, reason: string): Promise<void>;
  /** Returns the ids of at most `limit` running workflows of a workspace, except those of one type. */
  running(workspaceId: string, options: { exceptType: WorkflowType; limit: number }): Promise<string[]>;
  /** Checks that Temporal answers. */
  ping(): Promise<void>;
  /** The version of the Temporal server. */
  serverVersion(): Promise<string>;
  /** What waits in each task queue, of all workspaces together. */
  backlogs(): Promise<QueueBacklog[]>;
  close(): Promise<void>;
}
