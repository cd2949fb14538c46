import { randomUUID } from 'node:crypto';
import { Connection, ScheduleClient } from '@temporalio/client';
import test from 'ava';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { createLog } from '#observability/log.ts';
import { prepareTemporalNamespace } from '#stack/servers/temporal-namespace.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { keepRefreshSchedule, REFRESH_SCHEDULE_ID } from '#workers/refresh-schedule.ts';

test('the schedule that refreshes tokens is created again when it is missing, and stays paused', async (t) => {
  const { address } = testStack().temporal;
  const namespace = `schedules-${randomUUID()}`;
  const temporal = readTemporalSettings({ LOCI_TEMPORAL_ADDRESS: address, LOCI_TEMPORAL_NAMESPACE: namespace });
  await prepareTemporalNamespace({ temporal, retentionDays: 1 });
  const connection = await Connection.connect({ address });
  const schedule = new ScheduleClient({ connection, namespace }).getHandle(REFRESH_SCHEDULE_ID);
  const isPaused = async () => (await schedule.describe()).state.paused;
  const lines: string[] = [];
  const log = createLog({ level: 'info', service: 'test', destination: { write: (line) => void lines.push(line) } });
  const stopping = new AbortController();
  const start = () =>
    keepRefreshSchedule({ connection, namespace, dataConverter: {}, log, signal: stopping.signal, everyMs: 100 });
  const kept = [start()];
  t.teardown(async () => {
    stopping.abort();
    await Promise.all(kept);
    await schedule.delete();
    await connection.close();
  });
  await eventually('the schedule exists', async () => !(await isPaused()));
  t.deepEqual(
    lines.filter((line) => line.includes('missing')),
    [],
  );

  await schedule.delete();
  await eventually('the schedule is back', async () => !(await isPaused()));
  await eventually('the log says so', async () => lines.some((line) => line.includes('was missing')));

  await schedule.pause();
  // Another worker starts, and updates the schedule.
  const updates = async () => (await schedule.describe()).info.lastUpdatedAt?.getTime() ?? 0;
  const before = await updates();
  kept.push(start());
  await eventually('the schedule is updated', async () => (await updates()) > before);
  t.true(await isPaused());
});
