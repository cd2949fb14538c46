import { Gauge, type Registry } from 'prom-client';
import type { QueueBacklog } from '#domain/task-queues.ts';

/** The gauges of the task queues, which have a value for each queue that could be measured. */
export function queueMetrics(registry: Registry) {
  const labelled = { labelNames: ['queue'] as const, registers: [registry] };
  const tasks = new Gauge({
    name: 'loci_task_queue_backlog',
    help: 'Tasks of a task queue of Temporal that no worker has taken yet, of all workers together; approximate.',
    ...labelled,
  });
  const age = new Gauge({
    name: 'loci_task_queue_oldest_age_seconds',
    help: 'Age of the oldest of these tasks; 0 when there is none.',
    ...labelled,
  });
  const polling = new Gauge({
    name: 'loci_task_queue_pollers',
    help: 'Workers that have asked for tasks of a task queue within the last minutes.',
    ...labelled,
  });
  return {
    setQueueBacklogs(backlogs: readonly QueueBacklog[]) {
      for (const gauge of [tasks, age, polling]) gauge.reset();
      for (const { queue, tasks: count, oldestAgeMs, pollers } of backlogs) {
        tasks.set({ queue }, count);
        polling.set({ queue }, pollers);
        age.set({ queue }, oldestAgeMs / 1000);
      }
    },
  };
}
