import { setTimeout as delay } from 'node:timers/promises';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { type QueueBacklog, TASK_QUEUES, type TaskQueue } from '#domain/task-queues.ts';
import type { QueueName } from '#domain/worker-slots.ts';
import type { Log } from '#observability/log.ts';
import type { Metrics } from '#observability/metrics.ts';

/** A small call for each queue and worker process. */
const POLL_MS = 15_000;
const DEADLINE_MS = 5_000;
/** `temporal.api.enums.v1.TaskQueueType` */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

// `Object.keys` does not know the names.
const QUEUE_NAMES = Object.keys(TASK_QUEUES) as QueueName[];

export type QueueBacklogsOptions = { connection: Connection | NativeConnection; namespace: string };

/** The type of the tasks of a queue, as the server knows it: no queue of ours has both. */
export function taskTypeOf(queue: TaskQueue): number {
  return queue === TASK_QUEUES.workflows ? WORKFLOW_TASKS : ACTIVITY_TASKS;
}

/** Returns what waits in each task queue. @throws an error of gRPC if the server does not answer */
export async function queueBacklogs({ connection, namespace }: QueueBacklogsOptions): Promise<QueueBacklog[]> {
  const describe = async (queue: QueueName) => {
    const name = TASK_QUEUES[queue];
    const { stats, pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType: taskTypeOf(name),
      reportStats: true,
    });
    const tasks = Number(stats?.approximateBacklogCount ?? 0);
    const oldestAgeMs = tasks === 0 ? 0 : tsToMs(stats?.approximateBacklogAge ?? undefined);
    return { queue, tasks, oldestAgeMs, pollers: pollers.length };
  };
  return connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
    const asked = QUEUE_NAMES.map(describe);
    // A call that is tried again after the connection was closed throws where nothing can catch it: none outlasts the others.
    await Promise.allSettled(asked);
    return Promise.all(asked);
  });
}

type Watch = QueueBacklogsOptions & { metrics: Metrics; log: Log; signal: AbortSignal };

/** Measures the backlogs until `signal` aborts. While the server does not answer, there are no figures instead of old ones. */
export async function watchQueueBacklogs({ metrics, log, signal, ...options }: Watch): Promise<void> {
  while (!signal.aborted) {
    try {
      metrics.setQueueBacklogs(await queueBacklogs(options));
    } catch (error) {
      if (signal.aborted) return;
      metrics.setQueueBacklogs([]);
      log.info({ error }, 'the backlogs of the task queues could not be measured; trying again');
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
