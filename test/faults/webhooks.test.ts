import test from 'ava';
import { z } from 'zod';
import { Webhook } from '#domain/records/webhook.ts';
import { WebhookDelivery } from '#domain/records/webhook-delivery.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openInsides } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { answer, createWebhook, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

const { worker } = testStack().processes;
const DELIVERIES = 100;
/** The worker is killed after these numbers of received messages. */
const KILLS_AFTER = [10, 40, 80, 120];

test.afterEach.always('the worker runs again', () => worker.start());

async function killAfter(before: Promise<void>): Promise<void> {
  await before;
  await worker.signal('SIGKILL');
  await worker.start();
}

const Counts = z.object({ total_count: z.int() });

test.serial(
  'killing the worker during 100 deliveries loses none, and every repeated delivery has the same bytes',
  async (t) => {
    t.timeout(400_000);
    const kills = [...KILLS_AFTER];
    let killing: Promise<void> = Promise.resolve();
    const receiver = await startWebhookReceiver(t, (response, attempt) => {
      if (receiver.received.length >= (kills[0] ?? Infinity)) {
        kills.shift();
        // This message gets no response, and responses to concurrent messages do not reach the killed worker.
        killing = killAfter(killing);
        return;
      }
      // Half of the deliveries fail at first, and now and then five in a row.
      const isOdd = Number.parseInt(attempt.received.id.slice(-1), 16) % 2 === 1;
      answer(isOdd && attempt.number === 1 ? 500 : 204)(response, attempt);
    });
    const api = await freshClient();
    const webhook = await createWebhook(api, receiver.origin);
    const ids = await Promise.all(
      Array.from({ length: DELIVERIES }, async () => {
        const { id } = await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
        return id;
      }),
    );
    const list = `/webhook-deliveries?webhook_id=${webhook.id}&limit=1`;
    await eventually(
      'everything is delivered',
      async () => (await api.get(`${list}&status=delivered`, Counts)).total_count === DELIVERIES,
      { timeoutMs: 300_000 },
    );
    await killing;
    t.deepEqual(kills, [], 'the worker was killed as often as planned');
    const bodies = Map.groupBy(receiver.received, ({ id }) => id);
    t.deepEqual([...bodies.keys()].toSorted(), ids.toSorted());
    const several = [...bodies.values()].filter((messages) => messages.length > 1);
    t.true(several.length > 0);
    for (const messages of several) t.is(new Set(messages.map(({ body }) => body)).size, 1);

    // An attempt is recorded before it is made, so the log contains every received message.
    const { database } = openInsides(t);
    const { rows } = await database.raw<{ rows: { id: string; attempts: number }[] }>(
      `select id, attempts from webhook_deliveries where endpoint_id = ?`,
      [webhook.id],
    );
    for (const { id, attempts } of rows) t.true((bodies.get(id)?.length ?? 0) <= attempts, id);
    const unsettled = await eventually('nothing is left in the outbox', async () => {
      const left = await database.raw<{ rows: unknown[] }>(
        `select 1 from outbox where workflow_type = 'deliverToReceiver' and workspace_id = ?`,
        [api.workspaceId],
      );
      return left.rows.length === 0;
    });
    t.true(unsettled);
  },
);

test.serial('killing the worker while a receiver is broken leaves no delivery and no workflow behind', async (t) => {
  t.timeout(400_000);
  let isBroken = true;
  let killing: Promise<void> = Promise.resolve();
  const kills = [3, 7, 9, 12];
  const receiver = await startWebhookReceiver(t, (response, attempt) => {
    if (receiver.received.length === kills[0]) {
      kills.shift();
      killing = killAfter(killing);
    }
    answer(isBroken ? 503 : 204)(response, attempt);
  });
  const api = await freshClient();
  const webhook = await createWebhook(api, receiver.origin);
  const send = () => api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
  const sent = await Promise.all(Array.from({ length: 40 }, send));
  await eventually('the worker was killed as often as planned', async () => kills.length === 0, { timeoutMs: 200_000 });
  isBroken = false;
  // Killed again while the receiver catches up.
  kills.push(receiver.received.length + 10);
  const list = `/webhook-deliveries?webhook_id=${webhook.id}&limit=1`;
  await eventually(
    'everything is delivered',
    async () => (await api.get(`${list}&status=delivered`, Counts)).total_count === sent.length,
    { timeoutMs: 200_000 },
  );
  await killing;
  t.deepEqual(kills, []);
  t.deepEqual([...new Set(receiver.received.map(({ id }) => id))].toSorted(), sent.map(({ id }) => id).toSorted());
  const { database } = openInsides(t);
  await eventually('nothing is left in the outbox', async () => {
    const sql = `select 1 from outbox where workflow_type = 'deliverToReceiver' and workspace_id = ?`;
    return (await database.raw<{ rows: unknown[] }>(sql, [api.workspaceId])).rows.length === 0;
  });
  t.like(await api.get(`/webhooks/${webhook.id}`, Webhook), { delivery_state: 'ok', pending_deliveries: 0 });
});
