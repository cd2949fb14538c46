import test from 'ava';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { retryDelivery, type WebhookServices } from '#operations/webhooks/attempt-delivery.ts';
import { purgeWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { query, type Database } from '#store/postgres.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { countDeliveries, openOwnSender } from '#test/support/harness/own-sender.ts';
import { answer, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

/** Sends due deliveries until none is due. */
async function sendAll(services: WebhookServices): Promise<void> {
  const sender = createWebhookSender(services);
  while ((await sender.sendDue()) > 0) await sender.drain();
}

test('a receiver that never answers does not block others', async (t) => {
  const own = await openOwnSender(t);
  let waiting = 0;
  let most = 0;
  const silent = await startWebhookReceiver(t, () => {
    waiting += 1;
    most = Math.max(most, waiting);
  });
  const good = await startWebhookReceiver(t);
  await own.announce(`${silent.origin}/hook`, 60);
  await own.announce(`${good.origin}/hook`, 60);
  const sender = createWebhookSender(own.services);
  await eventually('the working receiver has all messages', async () => {
    await sender.sendDue();
    return (await countDeliveries(own.database, 'delivered')) === 60;
  });
  t.is(good.received.length, 60);
  t.true(most <= 4, `${most} at once`);
  // Avoids waiting for the timeout of running attempts.
  await silent.close();
  await sender.drain();
});

test('deliveries to a repeatedly failing receiver are paused, then probed with one attempt, then resumed', async (t) => {
  const own = await openOwnSender(t);
  let status = 500;
  const receiver = await startWebhookReceiver(t, (response, attempt) => answer(status)(response, attempt));
  await own.announce(receiver.origin, 30);
  await sendAll(own.services);
  const tried = receiver.received.length;
  t.true(tried >= 5 && tried <= 8, `${tried} attempts`);
  t.is(await countDeliveries(own.database, 'retrying'), tried);
  t.is(await own.services.stores.webhookQueue.claimDue(own.limits, 10).then((taken) => taken.length), 0);

  const endPause = () => query(own.database, `update webhook_origins set open_until = now()`);
  await endPause();
  const sender = createWebhookSender(own.services);
  t.is(await sender.sendDue(), 1, 'only one at a time');
  await sender.drain();
  t.is(await sender.sendDue(), 0, 'it failed again');
  status = 200;
  await endPause();
  await sendAll(own.services);
  t.is(await countDeliveries(own.database, 'delivered'), 30 - tried - 1);
  t.deepEqual(await query(own.database, 'select * from webhook_origins'), []);
});

test('a delivery to a paused receiver is sent anyway after a while', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t);
  const [id = ''] = await own.announce(receiver.origin);
  await query(
    own.database,
    `insert into webhook_origins (workspace_id, origin, failures, open_until) values (:workspaceId, :origin, 9, now() + interval '1 hour')`,
    { workspaceId: own.scope.workspaceId, origin: receiver.origin },
  );
  await sendAll(own.services);
  t.is(receiver.received.length, 0);
  await query(own.database, `update webhook_deliveries set due_at = now() - interval '11 minutes' where id = :id`, {
    id,
  });
  await sendAll(own.services);
  t.is(receiver.received.length, 1);
});

test('attempts of a workflow also wait for a paused receiver, without counting as attempts', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t, answer(500));
  const [id = ''] = await own.announce(receiver.origin);
  await sendAll(own.services);
  const key = { workspace_id: own.scope.workspaceId, delivery_id: id, round: 1 };
  await query(own.database, `update webhook_origins set failures = 9, open_until = now() + interval '40 seconds'`);
  const busy = await retryDelivery(own.services, key);
  t.like(busy, { status: 'busy', attempts: 1 });
  t.true(busy.wait_ms > 20_000 && busy.wait_ms <= 60_000, `${busy.wait_ms} ms`);
  t.is(receiver.received.length, 1);
  t.like(await retryDelivery(own.services, { ...key, round: 2 }), { status: 'over' });
});

test('a workflow spreads ten attempts over 75 h 35 min, and then the delivery fails', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t, answer(404));
  const [id = ''] = await own.announce(receiver.origin);
  await sendAll(own.services);
  const key = { workspace_id: own.scope.workspaceId, delivery_id: id, round: 1 };
  const [job] = await query<{ args: { wait_ms: number }; workflow_id: string }>(
    own.database,
    'select args, workflow_id from outbox',
  );
  t.is(job?.workflow_id, `deliver-webhook/${id}`);
  let waitedMs = job?.args.wait_ms ?? 0;
  for (let attempt = 2; attempt <= 9; attempt += 1) {
    const outcome = await retryDelivery(own.services, key);
    t.like(outcome, { status: 'again', attempts: attempt, status_code: 404 });
    waitedMs += outcome.wait_ms;
  }
  t.like(await retryDelivery(own.services, key), { status: 'failed', attempts: 10, wait_ms: 0 });
  t.like(await retryDelivery(own.services, key), { status: 'over' });
  const planned = WEBHOOK_ATTEMPT_DELAYS_MS.reduce((sum, wait) => sum + wait, 0);
  t.true(waitedMs >= 0.9 * planned && waitedMs <= 1.1 * planned, `${waitedMs} ms`);
  t.is(receiver.received.length, 10);
  t.is(new Set(receiver.received.map((message) => `${message.id} ${message.body}`)).size, 1);
});

const expireLeases = (database: Database) =>
  query(
    database,
    `update webhook_deliveries set leased_until = now() - interval '1 second' where leased_until is not null`,
  );

test('two workers never claim the same delivery; that of a crashed worker is claimed again, and its attempt is shown', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t);
  await own.announce(receiver.origin, 4);
  const { webhookQueue, webhookAttempts, webhookDeliveries } = own.services.stores;
  const [mine, theirs] = await Promise.all([
    webhookQueue.claimDue(own.limits, 10),
    webhookQueue.claimDue(own.limits, 10),
  ]);
  t.is(new Set([...mine, ...theirs].map(({ id }) => id)).size, mine.length + theirs.length);
  t.is((await webhookQueue.claimDue(own.limits, 10)).length, 4 - mine.length - theirs.length);
  const [dead] = [...mine, ...theirs];
  if (!dead) throw new Error('no delivery was claimed');

  await expireLeases(own.database);
  await sendAll(own.services);
  t.is(await countDeliveries(own.database, 'delivered'), 4);
  const log = await webhookDeliveries.find(own.scope, dead.id);
  t.deepEqual(
    log?.attempts.map(({ error, status_code }) => [error, status_code]),
    [
      ['The worker ended before the answer was known.', null],
      [null, 204],
    ],
  );
  // The first worker was only stalled and now reports its result.
  const late = { id: dead.id, number: 1, origin: dead.origin, statusCode: 500, error: null, message: null, waitMs: 0 };
  t.false(
    await webhookAttempts.finish(own.scope, { ...late, status: 'retrying', isReceiverHealthy: false }, own.limits),
  );
  t.is(await countDeliveries(own.database, 'delivered'), 4);
});

test('the success of a stalled attempt completes a delivery that another worker is retrying', async (t) => {
  const own = await openOwnSender(t);
  await own.announce('http://127.99.0.1:9/hook');
  const { webhookQueue, webhookAttempts } = own.services.stores;
  const [stalled] = await webhookQueue.claimDue(own.limits, 1);
  await expireLeases(own.database);
  const [other] = await webhookQueue.claimDue(own.limits, 1);
  if (!stalled || !other) throw new Error('no delivery was claimed');
  const common = { id: stalled.id, origin: stalled.origin, error: null, message: null, waitMs: 0 };
  const success = { ...common, number: stalled.attempts, statusCode: 200, status: 'delivered' as const };
  t.true(await webhookAttempts.finish(own.scope, { ...success, isReceiverHealthy: true }, own.limits));
  const failure = { ...common, number: other.attempts, statusCode: 500, status: 'retrying' as const };
  t.false(await webhookAttempts.finish(own.scope, { ...failure, isReceiverHealthy: false }, own.limits));
  t.is(await countDeliveries(own.database, 'delivered'), 1);
});

test('the log keeps pending deliveries, and finished ones for the configured time', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t);
  const [old = '', young = ''] = await own.announce(receiver.origin, 2);
  await sendAll(own.services);
  const [open = ''] = await own.announce(receiver.origin);
  await query(
    own.database,
    `update webhook_deliveries set updated_at = now() - interval '31 days' where id = any(:ids::uuid[])`,
    { ids: [old, open] },
  );
  t.is(await purgeWebhookDeliveries(own.services), 1);
  const left = await query<{ id: string }>(own.database, 'select id from webhook_deliveries order by id');
  t.deepEqual(
    left.map(({ id }) => id),
    [young, open].toSorted(),
  );
});
