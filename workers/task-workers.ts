import { type NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import type { Activities } from '#activities/index.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

export type TaskWorkersOptions = {
  connection: NativeConnection;
  namespace: string;
  workflowBundle: WorkflowBundle;
  activities: Activities;
};

/** At shutdown, running activities get this long to finish; then they are cancelled and another worker retries them. */
const SHUTDOWN_GRACE = '20s';
const SHUTDOWN_FORCE = '30s';
/** Workflows kept in memory between their tasks. */
const MAX_CACHED_WORKFLOWS = 200;
const WORKFLOW_TASK_CONCURRENCY = 20;
/** By default the SDK throttles heartbeats to four fifths of their timeout, so that a short pause would look like a dead worker. */
const MAX_HEARTBEAT_INTERVAL = '1s';

type ActivityQueue = keyof Activities;

/**
 * Concurrent activities per task queue. Those of `ingest` and `express` share child processes and the embedder by workspace and
 * lane, so their slots only bound what is held in memory: a workspace gets a slot when the time slice of another one ends.
 */
const ACTIVITY_CONCURRENCY: Readonly<Record<ActivityQueue, number>> = {
  download: 12,
  express: 8,
  ingest: 8,
  // Each holds as many responses as it waits for, on disk instead of in memory.
  crawl: 24,
  oauth: 40,
  index: 4,
  compress: 4,
  upkeep: 10,
  webhooks: 20,
};

/** Creates one Temporal worker per task queue: one for workflows, the others for activities, each with its own limit. */
export async function createTaskWorkers(options: TaskWorkersOptions): Promise<Worker[]> {
  const { activities } = options;
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    maxHeartbeatThrottleInterval: MAX_HEARTBEAT_INTERVAL,
  } as const;
  const createActivityWorker = (queue: ActivityQueue, concurrency: number) =>
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES[queue],
      activities: { ...activities[queue] },
      maxConcurrentActivityTaskExecutions: concurrency,
    });
  return Promise.all([
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.workflows,
      workflowBundle: options.workflowBundle,
      maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_CONCURRENCY,
    }),
    createActivityWorker('download', ACTIVITY_CONCURRENCY.download),
    createActivityWorker('crawl', ACTIVITY_CONCURRENCY.crawl),
    createActivityWorker('oauth', ACTIVITY_CONCURRENCY.oauth),
    createActivityWorker('express', ACTIVITY_CONCURRENCY.express),
    createActivityWorker('ingest', ACTIVITY_CONCURRENCY.ingest),
    createActivityWorker('index', ACTIVITY_CONCURRENCY.index),
    createActivityWorker('compress', ACTIVITY_CONCURRENCY.compress),
    createActivityWorker('upkeep', ACTIVITY_CONCURRENCY.upkeep),
    createActivityWorker('webhooks', ACTIVITY_CONCURRENCY.webhooks),
  ]);
}
