import { type NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import type { Activities } from '#activities/index.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

export type TaskWorkersOptions = {
  connection: NativeConnection;
  namespace: string;
  workflowBundle: WorkflowBundle;
  activities: Activities;
  /** Documents read at the same time. */
  readers: number;
};

/** Running steps are given this long at a stop; then they are cancelled and another worker takes them up. */
const GRACE = '20s';
/** Workflows kept in memory between their tasks. */
const CACHED_WORKFLOWS = 200;
const WORKFLOW_TASKS = 20;
/** Else the SDK holds heartbeats back for four fifths of their timeout, and a pause of two seconds counts as a death. */
const HEARTBEAT_EVERY = '2s';
const DOWNLOAD_STEPS = 12;
/** Each holds as many answers in flight as it waits for, on disk rather than in memory. */
const CRAWL_STEPS = 24;
const OAUTH_STEPS = 40;
const INDEX_STEPS = 3;
const UPKEEP_STEPS = 10;
const COMPRESS_STEPS = 4;
const WEBHOOK_STEPS = 20;

/** One Temporal worker for each task queue, with its limits: reading by child processes, indexing by the embedder. */
export async function createTaskWorkers(options: TaskWorkersOptions): Promise<Worker[]> {
  const { connection, namespace, activities } = options;
  const shared = {
    connection,
    namespace,
    shutdownGraceTime: GRACE,
    shutdownForceTime: '30s',
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY,
  } as const;
  return Promise.all([
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.workflows,
      workflowBundle: options.workflowBundle,
      maxCachedWorkflows: CACHED_WORKFLOWS,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.download,
      activities: { ...activities.download },
      maxConcurrentActivityTaskExecutions: DOWNLOAD_STEPS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.crawl,
      activities: { ...activities.crawl },
      maxConcurrentActivityTaskExecutions: CRAWL_STEPS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.oauth,
      activities: { ...activities.oauth },
      maxConcurrentActivityTaskExecutions: OAUTH_STEPS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.ingest,
      activities: { ...activities.ingest },
      maxConcurrentActivityTaskExecutions: options.readers + 1,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.index,
      activities: { ...activities.index },
      maxConcurrentActivityTaskExecutions: INDEX_STEPS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.compress,
      activities: { ...activities.compress },
      maxConcurrentActivityTaskExecutions: COMPRESS_STEPS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.upkeep,
      activities: { ...activities.upkeep },
      maxConcurrentActivityTaskExecutions: UPKEEP_STEPS,
    }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.webhooks,
      activities: { ...activities.webhooks },
      maxConcurrentActivityTaskExecutions: WEBHOOK_STEPS,
    }),
  ]);
}
