import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { enqueueWakeUps, sendDueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';
import { query } from '#store/postgres.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { testStack } from '#test/support/harness/stack.ts';

test('a lost wake-up is sent, and one for a completed workflow is dropped', async (t) => {
  const away = await openOwnServices(t, { temporal: 'away' });
  const running = await openOwnServices(t);
  const services = { ...away.services, jobs: running.services.jobs };
  const { scope } = await makePlace(away.database);
  const { address, namespace } = testStack().temporal;
  const connection = await Connection.connect({ address });
  t.teardown(() => connection.close());
  const client = new Client({ connection, namespace });
  const [workflowId, ended] = [`wakes/${uuidv7()}`, `wakes/${uuidv7()}`];
  const idle = await client.workflow.start('ingestBatch', { workflowId, taskQueue: 'nobody', args: [] });
  t.teardown(() => idle.terminate('the test is over'));
  const rows = () => query<{ workflow_id: string }>(away.database, 'select workflow_id from wakes order by 1');
  const makeDue = () => query(away.database, `update wakes set due_at = now() - interval '1 hour'`);

  const wakes = await enqueueWakeUps(services.stores, scope, [workflowId, null, ended, workflowId]);
  t.deepEqual((await rows()).map((row) => row.workflow_id).sort(), [workflowId, ended].sort());
  sendWakeUps(away.services, wakes);
  t.is(await sendDueWakeUps(services), 0, 'wake-ups are first left to the process that recorded them');
  await makeDue();
  t.is(await sendDueWakeUps(away.services), 2);
  t.is((await rows()).length, 2, 'nothing is lost while Temporal is unavailable');
  t.is(await sendDueWakeUps(services), 0, 'not again at once');
  await makeDue();
  t.is(await sendDueWakeUps(services), 2);
  t.deepEqual(await rows(), []);
  const { events } = await idle.fetchHistory();
  const signals = events?.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
  t.deepEqual(signals, ['wake']);

  sendWakeUps(services, await enqueueWakeUps(services.stores, scope, [workflowId]));
  await eventually(
    'the workflow is signalled at once and the wake-up removed',
    async () => (await rows()).length === 0,
  );
});

test('a wake-up requested while another one is being sent is not lost', async (t) => {
  const { services, database } = await openOwnServices(t);
  const { scope } = await makePlace(database);
  const ids = Array.from({ length: 20 }, () => uuidv7());
  const first = await enqueueWakeUps(services.stores, scope, ids);
  const second = await enqueueWakeUps(services.stores, scope, ids.slice(0, 5));
  const rows = () => query<WakeUp>(database, 'select workflow_id, wake_id from wakes order by workflow_id');
  await services.stores.wakeUps.remove(first);
  t.deepEqual(await rows(), second);
  // Any number of concurrent insertions and deletions completes without a deadlock.
  const rounds = Array.from({ length: 20 }, async (_, round) => {
    const noted = await enqueueWakeUps(services.stores, scope, round % 2 === 0 ? ids : ids.toReversed());
    await services.stores.wakeUps.remove(noted);
  });
  await Promise.all(rounds);
  t.deepEqual(await rows(), []);
});
