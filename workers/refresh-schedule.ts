import { setTimeout as delay } from 'node:timers/promises';
import { ScheduleAlreadyRunning, ScheduleClient, ScheduleOverlapPolicy } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { Log } from '#observability/log.ts';

/** The id of the schedule in the Temporal UI, where operators can pause and trigger it. */
export const REFRESH_SCHEDULE_ID = 'oauth-refresh-due';

const INTERVAL = '1m';
/** Spreads the runs of several instances that share one Temporal server. */
const JITTER = '20s';
const RETRY_MS = 10_000;

/** Looks once a minute for tokens that expire soon; skips a run while the previous one is still running. */
const SCHEDULE = {
  spec: { intervals: [{ every: INTERVAL }], jitter: JITTER },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: INTERVAL },
  action: {
    type: 'startWorkflow' as const,
    workflowType: 'refreshDueConnections',
    workflowId: REFRESH_SCHEDULE_ID,
    taskQueue: TASK_QUEUES.workflows,
    args: [{ workspace_id: null }],
    staticSummary: 'Refresh the tokens that end soon, of all workspaces',
  },
};

type ScheduleOptions = {
  connection: NativeConnection;
  namespace: string;
  dataConverter: DataConverter;
  log: Log;
  signal: AbortSignal;
};

/**
 * Creates the schedule, or updates the existing one, and retries until it succeeds or `signal` aborts. An update keeps the
 * paused state that an operator has set.
 */
export async function ensureRefreshSchedule({ log, signal, ...options }: ScheduleOptions): Promise<void> {
  const schedules = new ScheduleClient(options);
  while (!signal.aborted) {
    try {
      await createOrUpdate(schedules);
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, 'the schedule that refreshes tokens could not be created; retrying');
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
