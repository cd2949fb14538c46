/** Broken webhook receivers, with workers of their own on a database and a Temporal namespace of their own. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { administratorCaller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import { getWebhook } from '#operations/webhooks/webhooks.ts';
import { query } from '#store/postgres.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnSender } from '#test/support/harness/own-sender.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { answer, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

/** Pauses begin with 0.2 s; attempts of one delivery take ten minutes, which no test waits for. */
const WAITS_S = '0,0.2,1,1,1,600';
const WAITING = 3_000;

/** Two workers on a new database and namespace. */
async function openWorkers(t: ExecutionContext) {
  t.timeout(480_000);
  const stack = testStack();
  const namespace = `webhooks-${randomUUID()}`;
  await prepareNamespace({ ...stack.temporal, namespace });
  const own = await openOwnSender(t);
  const environment = {
    LOCI_DATABASE_URL: own.databaseUrl,
    LOCI_TEMPORAL_NAMESPACE: namespace,
    LOCI_WEBHOOK_WAITS_S: WAITS_S,
  };
  for (const number of [1, 2]) {
    const worker = await startSecondProcess(stack, { kind: 'worker', name: `${namespace}-${number}`, environment });
    t.teardown(() => worker.stop());
  }
  const connection = await Connection.connect({ address: stack.temporal.address });
  t.teardown(() => connection.close());
  const client = new Client({ connection, namespace });
  return {
    ...own,
    client,
    show: (webhookId: string, { workspaceId }: Scope = own.scope) =>
      getWebhook(own.services, administratorCaller(workspaceId), webhookId),
    count: async (sql: string, webhookId: string) =>
      (await query<{ count: number }>(own.database, `select count(*) as count ${sql}`, { webhookId }))[0]?.count ?? 0,
    /** Workflows of webhooks; schedules start others. */
    workflows: async () => {
      const list: { type: string; isOpen: boolean }[] = [];
      for await (const { type, closeTime } of client.workflow.list()) {
        if (type.startsWith('deliver')) list.push({ type, isOpen: closeTime === undefined });
      }
      return list;
    },
  };
}

const DELIVERED = `from webhook_deliveries where endpoint_id = :webhookId and status = 'delivered'`;
const ATTEMPTS = `from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.endpoint_id = :webhookId`;

test('3,000 deliveries wait in order for a dead receiver at the cost of one workflow, and others are served at once', async (t) => {
  const own = await openWorkers(t);
  let isDead = true;
  const receiver = await startWebhookReceiver(t, (response, attempt) =>
    isDead ? void response.destroy() : answer(204)(response, attempt),
  );
  const dead = await own.createWebhook(`${receiver.origin}/dead`);
  await own.queue(dead, WAITING);
  await eventually('the receiver counts as broken', async () => (await own.show(dead)).delivery_state === 'failing');

  const good = await startWebhookReceiver(t);
  const scope = { workspaceId: await own.services.stores.system.insertWorkspace('other'), collectionIds: null };
  const [same, other] = [await own.createWebhook(good.origin), await own.createWebhook(good.origin, {}, scope)];
  await own.queue(same, 20);
  await own.queue(other, 20);
  for (const id of [same, other]) {
    await eventually('a working receiver has all', async () => (await own.count(DELIVERED, id)) === 20);
  }

  const probes = () => own.count(`${ATTEMPTS} and a.is_probe`, dead);
  await eventually('it was probed several times', async () => (await probes()) >= 4);
  const workflows = await own.workflows();
  t.deepEqual(
    workflows.filter(({ isOpen }) => isOpen),
    [{ type: 'deliverToReceiver', isOpen: true }],
  );
  const sent = await own.count(`${ATTEMPTS} and not a.is_probe`, dead);
  t.true(sent >= 5 && sent <= 10, `${sent} attempts that were no probes`);
  t.true(receiver.received.length <= sent + (await probes()));
  t.like(await own.show(dead), { status: 'active', pending_deliveries: 1_000 });
  t.truthy((await own.show(dead)).failing_since);
  t.like(await own.show(same), { delivery_state: 'ok', pending_deliveries: 0, next_attempt_at: null });

  const before = receiver.received.length;
  isDead = false;
  await eventually('everything is delivered', async () => (await own.count(DELIVERED, dead)) === WAITING);
  const numbers = receiver.received.slice(before).map(({ event }) => Number(event.data['number']));
  t.is(new Set(numbers).size, WAITING);
  t.is(numbers.length, WAITING, 'none twice');
  // The first is the probe; of the others at most four are under way together.
  const [, ...line] = numbers;
  const early = line.filter((number, at) => line.slice(Math.max(0, at - 50), at).some((one) => one > number + 8));
  t.deepEqual(early, []);
  t.like(await own.show(dead), { delivery_state: 'ok', failing_since: null, pending_deliveries: 0 });
  await eventually('the workflow has ended', async () => (await own.workflows()).every(({ isOpen }) => !isOpen));
  t.deepEqual(await query(own.database, 'select workflow_id from outbox'), []);
});

test('workflows of single deliveries from before an upgrade end at once, and their deliveries are retried', async (t) => {
  const own = await openWorkers(t);
  const receiver = await startWebhookReceiver(t);
  const webhookId = await own.createWebhook(receiver.origin);
  await own.queue(webhookId, 30);
  const deliveries = await query<{ id: string }>(
    own.database,
    `update webhook_deliveries set status = 'retrying', attempts = 3, round_attempts = 3, due_at = now() + interval '9 seconds'
     returning id`,
  );
  const { workspaceId: workspace_id } = own.scope;
  const wakeUps: { workflow_id: string; wake_id: string }[] = [];
  for (const { id: delivery_id } of deliveries) {
    const job = {
      workflow_type: 'deliverWebhook' as const,
      workflow_id: `deliver-webhook/${delivery_id}`,
      workspace_id,
      task_queue: 'loci-workflows' as const,
      summary: 'as of the version before',
      args: { workspace_id, delivery_id, round: 1, wait_ms: 24 * 3_600_000 },
    };
    await own.services.stores.outbox.add(own.scope, [job]);
    await own.client.workflow.start(job.workflow_type, {
      workflowId: job.workflow_id,
      taskQueue: job.task_queue,
      args: [job.args],
    });
    await own.services.stores.outbox.markStarted(own.scope, job.workflow_id);
    wakeUps.push({ workflow_id: job.workflow_id, wake_id: randomUUID() });
  }
  // The migration does this.
  await own.services.stores.wakeUps.add(own.scope, wakeUps);
  await eventually('the outbox is empty', async () => (await query(own.database, 'select from outbox')).length === 0);
  await eventually('no workflow runs', async () => {
    const workflows = await own.workflows();
    return workflows.length === 30 && workflows.every(({ isOpen }) => !isOpen);
  });
  await eventually('everything is delivered', async () => (await own.count(DELIVERED, webhookId)) === 30);
  t.is(receiver.received.length, 30);
});
