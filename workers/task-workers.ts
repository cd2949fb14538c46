import type { DataConverter, WorkerDeploymentVersion } from '@temporalio/common';
import { type NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import { localSteps, type Activities } from '#activities/index.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { MAX_WORKFLOW_SLOTS, type QueueName } from '#domain/worker-slots.ts';
import type { Tracing } from '#observability/tracing.ts';

export type TaskWorkersOptions = {
  connection: NativeConnection;
  namespace: string;
  dataConverter: DataConverter;
  /** Null: every worker takes every task. */
  version: WorkerDeploymentVersion | null;
  workflowBundle: WorkflowBundle;
  activities: Activities;
  /** Tasks of each queue at the same time; a queue with 0 is left to other processes. */
  slots: Readonly<Record<QueueName, number>>;
  tracing: Tracing | null;
};

/** At shutdown, running activities get this long to finish; then they are cancelled and another worker retries them. */
const SHUTDOWN_GRACE = '20s';
const SHUTDOWN_FORCE = '30s';
/** Steps that workflows run beside their tasks. Each is one or two statements. */
const LOCAL_STEP_CONCURRENCY = 10;
/** By default the SDK throttles heartbeats to four fifths of their timeout, so that a short pause would look like a dead worker. */
const MAX_HEARTBEAT_INTERVAL = '1s';

/**
 * Time slices that a worker asks for at the same time. One that asked for as many as it has slots would take most of what has just
 * been handed out, while others wait.
 */
const SLICE_POLLS = 1;
const SLICED_QUEUES: ReadonlySet<QueueName> = new Set<QueueName>(['ingest', 'index']);

type ActivityQueue = keyof Activities;

/** Creates one Temporal worker per task queue with slots: one for workflows, the others for activities, each with its own limit. */
export async function createTaskWorkers(options: TaskWorkersOptions): Promise<Worker[]> {
  const { activities, slots, connection, namespace, dataConverter, version, tracing } = options;
  const shared = {
    connection,
    namespace,
    dataConverter,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    maxHeartbeatThrottleInterval: MAX_HEARTBEAT_INTERVAL,
    ...(version === null ? {} : { workerDeploymentOptions: versioned(version) }),
    ...(tracing === null ? {} : { interceptors: tracing.workerInterceptors, sinks: tracing.sinks }),
  } as const;
  const createWorkflowWorker = () =>
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.workflows,
      workflowBundle: options.workflowBundle,
      // Kept in memory between their tasks.
      maxCachedWorkflows: MAX_WORKFLOW_SLOTS,
      maxConcurrentWorkflowTaskExecutions: slots.workflows,
      // Only for local activities: ordinary ones are polled by the worker of their queue.
      activities: localSteps(activities),
      enableNonLocalActivities: false,
      maxConcurrentLocalActivityExecutions: LOCAL_STEP_CONCURRENCY,
    });
  const createActivityWorker = (queue: ActivityQueue) =>
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES[queue],
      activities: { ...activities[queue] },
      maxConcurrentActivityTaskExecutions: slots[queue],
      ...(SLICED_QUEUES.has(queue) ? { maxConcurrentActivityTaskPolls: SLICE_POLLS } : {}),
    });
  // The keys of an object that has been built with exactly these.
  const queues = Object.keys(activities) as ActivityQueue[];
  return Promise.all([
    ...(slots.workflows > 0 ? [createWorkflowWorker()] : []),
    ...queues.filter((queue) => slots[queue] > 0).map(createActivityWorker),
  ]);
}

/** Running workflows go on with the current version: their code changes only in ways that replay older histories. */
function versioned(version: WorkerDeploymentVersion) {
  return { useWorkerVersioning: true, version, defaultVersioningBehavior: 'AUTO_UPGRADE' } as const;
}
