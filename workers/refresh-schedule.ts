import { setTimeout as delay } from 'node:timers/promises';
import { ScheduleAlreadyRunning, ScheduleClient, ScheduleOverlapPolicy } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { Log } from '#observability/log.ts';

/** As operators find it in the Temporal UI, where it can be paused and triggered. */
export const REFRESH_SCHEDULE_ID = 'oauth-refresh-due';

const EVERY = '1m';
/** Several instances on one Temporal do not all look in the same second. */
const JITTER = '20s';
const RETRY_MS = 10_000;

/** Once a minute a look at which tokens end soon; the one before that still runs is enough. */
const SCHEDULE = {
  spec: { intervals: [{ every: EVERY }], jitter: JITTER },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: EVERY },
  action: {
    type: 'startWorkflow' as const,
    workflowType: 'refreshDueConnections',
    workflowId: REFRESH_SCHEDULE_ID,
    taskQueue: TASK_QUEUES.workflows,
    args: [{ workspace_id: null }],
    staticSummary: 'Refresh the tokens that end soon, of all workspaces',
  },
};

type Means = { connection: NativeConnection; namespace: string; log: Log; signal: AbortSignal };

/** Makes the schedule, or brings the one that is there up to date, as long as it takes; whether it is paused is the operator's. */
export async function ensureRefreshSchedule({ connection, namespace, log, signal }: Means): Promise<void> {
  const schedules = new ScheduleClient({ connection, namespace });
  while (!signal.aborted) {
    try {
      await createOrUpdate(schedules);
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, 'the schedule that refreshes tokens could not be made; it is tried again');
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function createOrUpdate(schedules: ScheduleClient): Promise<void> {
  try {
    await schedules.create({ scheduleId: REFRESH_SCHEDULE_ID, ...SCHEDULE });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await schedules.getHandle(REFRESH_SCHEDULE_ID).update(({ state }) => ({ ...SCHEDULE, state }));
  }
}
