import { setTimeout as delay } from 'node:timers/promises';
import { ScheduleAlreadyRunning, ScheduleClient, ScheduleOverlapPolicy, type Connection } from '@temporalio/client';
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
const CHECK_MS = 60_000;

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
  connection: Connection | NativeConnection;
  namespace: string;
  dataConverter: DataConverter;
  log: Log;
  signal: AbortSignal;
  /** How often it is created if it is missing. */
  everyMs?: number;
};

/**
 * Creates the schedule, or updates the existing one, and then keeps it until `signal` aborts: without it, tokens would expire
 * unnoticed after it was deleted, or after the server was replaced by an empty one. An update keeps the paused state that an
 * operator has set.
 */
export async function keepRefreshSchedule({ log, signal, everyMs = CHECK_MS, ...options }: ScheduleOptions) {
  const schedules = new ScheduleClient(options);
  let isUpdated = false;
  while (!signal.aborted) {
    let pauseMs = everyMs;
    try {
      const wasMissing = await create(schedules);
      if (!wasMissing && !isUpdated) await update(schedules);
      if (wasMissing && isUpdated) log.warn('the schedule that refreshes tokens was missing and is created again');
      isUpdated = true;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, 'the schedule that refreshes tokens could not be created; retrying');
      pauseMs = Math.min(RETRY_MS, everyMs);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns false when it exists already. */
async function create(schedules: ScheduleClient): Promise<boolean> {
  try {
    await schedules.create({ scheduleId: REFRESH_SCHEDULE_ID, ...SCHEDULE });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

async function update(schedules: ScheduleClient): Promise<void> {
  await schedules.getHandle(REFRESH_SCHEDULE_ID).update(({ state }) => ({ ...SCHEDULE, state }));
}
