import test from 'ava';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { purgeWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { query, type Database } from '#store/postgres.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { countDeliveries, openOwnSender } from '#test/support/harness/own-sender.ts';
import { answer, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

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

test('ten attempts at a message that a working receiver refuses are spread over 75 h 35 min, without a workflow', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t, answer(404));
  await own.announce(receiver.origin);
  let waitedMs = 0;
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    await own.sendAll();
    const [row] = await query<{ status: string; round_attempts: number; wait_ms: number }>(
      own.database,
      `select status, round_attempts, extract(epoch from due_at - now())::float8 * 1000 as wait_ms from webhook_deliveries`,
    );
    t.like(row, { status: 'retrying', round_attempts: attempt });
    waitedMs += row?.wait_ms ?? 0;
    await query(own.database, 'update webhook_deliveries set due_at = now()');
  }
  await own.sendAll();
  t.is(await countDeliveries(own.database, 'failed'), 1);
  const planned = WEBHOOK_ATTEMPT_DELAYS_MS.reduce((sum, wait) => sum + wait, 0);
  t.true(waitedMs >= 0.89 * planned && waitedMs <= 1.1 * planned, `${waitedMs} ms`);
  t.is(receiver.received.length, 10);
  t.is(new Set(receiver.received.map((message) => `${message.id} ${message.body}`)).size, 1);
  t.deepEqual(await query(own.database, 'select workflow_id from outbox'), []);
});

const RESULT = {
  number: 1,
  statusCode: 200,
  error: null,
  message: null,
  waitMs: 0,
  isUnhealthy: false,
  isAnsweredProbe: false,
};

const expireLeases = (database: Database) =>
  query(
    database,
    `update webhook_deliveries set leased_until = now() - interval '1 second' where leased_until is not null`,
  );

test('two workers never claim the same delivery; that of a crashed worker is claimed again, and its attempt is shown', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t);
  await own.announce(receiver.origin, 4);
  const { webhookAttempts, webhookDeliveries } = own.services.stores;
  const [mine, theirs] = await Promise.all([own.claim(), own.claim()]);
  t.is(new Set([...mine, ...theirs].map(({ id }) => id)).size, mine.length + theirs.length);
  t.is((await own.claim()).length, 4 - mine.length - theirs.length);
  const [dead] = [...mine, ...theirs];
  if (!dead) throw new Error('no delivery was claimed');

  await expireLeases(own.database);
  await own.sendAll();
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
  t.false(await webhookAttempts.finish(own.scope, { ...RESULT, id: dead.id, status: 'retrying', statusCode: 500 }));
  t.is(await countDeliveries(own.database, 'delivered'), 4);
});

test('the success of a stalled attempt completes a delivery that another worker is retrying', async (t) => {
  const own = await openOwnSender(t);
  await own.announce('http://127.99.0.1:9/hook');
  const { webhookAttempts } = own.services.stores;
  const [stalled] = await own.claim();
  await expireLeases(own.database);
  const [other] = await own.claim();
  if (!stalled || !other) throw new Error('no delivery was claimed');
  const success = { ...RESULT, id: stalled.id, number: stalled.attempts, status: 'delivered' as const };
  t.true(await webhookAttempts.finish(own.scope, success));
  const failure = { ...RESULT, id: other.id, number: other.attempts, status: 'retrying' as const, statusCode: 500 };
  t.false(await webhookAttempts.finish(own.scope, failure));
  t.is(await countDeliveries(own.database, 'delivered'), 1);
});

test('the success of a stalled attempt counts even when the delivery was given up meanwhile', async (t) => {
  const own = await openOwnSender(t);
  await own.announce('http://127.99.0.1:9/hook');
  const [stalled] = await own.claim();
  await query(own.database, `update webhook_deliveries set status = 'failed'`);
  const late = { ...RESULT, id: stalled?.id ?? '', number: 1 };
  t.false(await own.services.stores.webhookAttempts.finish(own.scope, { ...late, status: 'retrying' }));
  t.true(await own.services.stores.webhookAttempts.finish(own.scope, { ...late, status: 'delivered' }));
  t.is(await countDeliveries(own.database, 'delivered'), 1);
});

test('the log keeps pending deliveries, and finished ones for the configured time', async (t) => {
  const own = await openOwnSender(t);
  const receiver = await startWebhookReceiver(t);
  const [old = '', young = ''] = await own.announce(receiver.origin, 2);
  await own.sendAll();
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
