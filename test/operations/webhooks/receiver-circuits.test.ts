import test from 'ava';
import { attemptDelivery } from '#operations/webhooks/attempt-delivery.ts';
import { testWebhook } from '#operations/webhooks/test-webhook.ts';
import { updateWebhook } from '#operations/webhooks/update-webhook.ts';
import { redeliverWebhook } from '#operations/webhooks/webhook-deliveries.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { query, type Database } from '#store/postgres.ts';
import { createWebhookQueue } from '#store/webhooks/webhook-queue.ts';
import { until } from '#test/support/harness/eventually.ts';
import { CLAIM_REQUEST, countDeliveries, openOwnSender, openReceiver } from '#test/support/harness/own-sender.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

const attemptsOf = (database: Database) =>
  query<{ is_probe: boolean }>(database, 'select is_probe from webhook_attempts order by started_at');

test('a broken receiver with 3,000 waiting deliveries costs one workflow and one probe at a time', async (t) => {
  const own = await openReceiver(t, { count: 3_000, status: 503 });
  await own.sendAll();
  const tried = own.receiver.received.length;
  t.true(tried >= 5 && tried <= 8, `${tried} attempts before it counts as broken`);
  const jobs = await own.jobs();
  t.deepEqual(
    jobs.map(({ workflow_id, args }) => [workflow_id, args.outage > 0]),
    [[`deliver-to-receiver/${own.webhookId}/${jobs[0]?.args.outage}`, true]],
  );
  for (let probes = 1; probes <= 7; probes += 1) {
    t.is(await createWebhookSender(own.services).sendDue(), 0, 'only probes are sent');
    t.like(await own.probe(), { status: 'failing', status_code: 503 });
    t.is(own.receiver.received.length, tried + probes);
  }
  t.is((await own.jobs()).length, 1);
  const waiting = 'select count(*) as count from webhook_deliveries where attempts = 0';
  t.true(((await query<{ count: number }>(own.database, waiting))[0]?.count ?? 0) >= 3_000 - tried - 7);
  t.like(await own.show(), { delivery_state: 'failing', pending_deliveries: 1_000, status: 'active' });
});

test('a receiver that works again gets everything in order, at first one at a time', async (t) => {
  const own = await openReceiver(t, { count: 200, status: 500 });
  await own.sendAll();
  await own.probe();
  await own.probe();
  own.state.status = 204;
  const failed = own.receiver.received.length;
  t.like(await own.probe(), { status: 'over', status_code: 204 });
  const sender = createWebhookSender(own.services);
  const turns: number[] = [];
  for (let started = await sender.sendDue(); started > 0; started = await sender.sendDue()) {
    await sender.drain();
    turns.push(started);
  }
  t.deepEqual(turns.slice(0, 4), [1, 2, 4, 4]);
  t.is(await countDeliveries(own.database, 'delivered'), 200);
  const numbers = own.numbers().slice(failed);
  t.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: 200 }, (_, at) => at + 1),
    'each once',
  );
  // The probe is any of them; of the others at most four are under way together.
  const [, ...line] = numbers;
  const early = line.filter((number, at) => line.slice(0, at).some((before) => before > number + 4));
  t.deepEqual(early, []);
  t.deepEqual(await query(own.database, 'select * from webhook_receivers'), []);
  t.like(await own.show(), { delivery_state: 'ok', failing_since: null, pending_deliveries: 0 });
});

test('failures while a receiver is broken are none of the ten attempts of a delivery', async (t) => {
  const own = await openReceiver(t, { count: 6, status: 500 });
  await own.sendAll();
  for (let probes = 1; probes <= 70; probes += 1) await own.probe({ isWoken: true });
  t.is(await countDeliveries(own.database, 'failed'), 0);
  own.state.status = 400;
  t.is((await own.probe({ isWoken: true })).status, 'over', 'it refuses a message, so it works');
  const counted = await query(own.database, 'select distinct round_attempts from webhook_deliveries order by 1');
  t.deepEqual(counted, [{ round_attempts: 0 }, { round_attempts: 1 }]);
  t.like((await attemptsOf(own.database)).at(-1), { is_probe: true });
});

test('a failed probe lets the next delivery be the probe: one that breaks its receiver does not hold up the others', async (t) => {
  const own = await openReceiver(t, { count: 12, status: 500 });
  await own.sendAll();
  const before = own.receiver.received.length;
  for (let probes = 1; probes <= 3; probes += 1) await own.probe();
  t.is(new Set(own.numbers().slice(before)).size, 3);
});

test('an answer other than that of the probe closes the circuit, and the waiting workflow is woken', async (t) => {
  const own = await openReceiver(t, { count: 20, status: 500 });
  const [late] = await own.claim(1);
  // Its worker is slow, and its lease is over.
  await query(own.database, 'update webhook_deliveries set leased_until = null');
  await own.sendAll();
  const [job] = await own.jobs();
  own.state.status = 200;
  if (!late) throw new Error('no delivery was claimed');
  await attemptDelivery(own.services, late, { isProbe: false });
  t.deepEqual(await query(own.database, 'select workflow_id from wakes'), [{ workflow_id: job?.workflow_id }]);
  await own.sendAll();
  t.like(await own.show(), { delivery_state: 'ok' });
});

test('the workflow that was started again in place of an ended one is woken', async (t) => {
  const own = await openReceiver(t, { count: 20, status: 500 });
  await own.sendAll();
  const [job] = await own.jobs();
  const again = `${job?.workflow_id}/again-1`;
  await query(own.database, 'update outbox set workflow_id = :again', { again });
  const wakes = () => query(own.database, 'delete from wakes returning workflow_id');
  await testWebhook(own.services, own.caller, { id: own.webhookId, idempotency: null });
  t.deepEqual(await wakes(), [{ workflow_id: again }]);
  await updateWebhook(own.services, own.caller, { id: own.webhookId, fields: { status: 'disabled' } });
  t.deepEqual(await wakes(), [{ workflow_id: again }]);
});

test('a receiver that answers 429 with Retry-After gets nothing until then, unless somebody tests it', async (t) => {
  const own = await openReceiver(t, { count: 20, status: 429 });
  own.state.headers = { 'retry-after': '600' };
  await own.sendAll();
  t.is(own.receiver.received.length, 4, 'those that were under way');
  const shown = await own.show();
  t.is(shown.delivery_state, 'ok');
  const inSeconds = (Date.parse(shown.next_attempt_at ?? '') - Date.now()) / 1_000;
  t.true(inSeconds > 540 && inSeconds <= 600, `${inSeconds} s`);
  own.state.status = 204;
  await testWebhook(own.services, own.caller, { id: own.webhookId, idempotency: null });
  await own.sendAll();
  t.is(await countDeliveries(own.database, 'delivered'), 17);
});

test('testing a webhook, or redelivering to it, probes a broken receiver at once', async (t) => {
  const own = await openReceiver(t, { count: 10, status: 500 });
  await own.sendAll();
  const [job] = await own.jobs();
  const wakes = async () => {
    const rows = await query(own.database, 'select workflow_id from wakes');
    await query(own.database, 'delete from wakes');
    return rows;
  };
  const { body: sent } = await testWebhook(own.services, own.caller, { id: own.webhookId, idempotency: null });
  t.deepEqual(await wakes(), [{ workflow_id: job?.workflow_id }]);
  await query(own.database, `update webhook_deliveries set status = 'failed' where id = :id`, { id: sent.id });
  await redeliverWebhook(own.services, own.caller, { id: sent.id, idempotency: null });
  t.deepEqual(await wakes(), [{ workflow_id: job?.workflow_id }]);
});

test('two processes together keep to the slots of a receiver', async (t) => {
  const own = await openReceiver(t, { count: 40, status: 204 });
  const claims = await Promise.all(Array.from({ length: 6 }, () => own.claim()));
  t.is(claims.flat().length, 4);
});

test('a workspace with many receivers leaves slots for the others', async (t) => {
  const own = await openOwnSender(t);
  const silent = await startWebhookReceiver(t, () => undefined);
  for (let index = 0; index < 20; index += 1) {
    await own.queue(await own.createWebhook(`${silent.origin}/${index}`), 10);
  }
  const scope = { workspaceId: await own.services.stores.system.insertWorkspace('other'), collectionIds: null };
  const good = await startWebhookReceiver(t);
  const other = await own.createWebhook(good.origin, {}, scope);
  const sender = createWebhookSender(own.services);
  while ((await sender.sendDue()) > 0);
  t.true(silent.received.length <= 24);
  await own.queue(other, 8);
  while ((await countDeliveries(own.database, 'delivered')) < 8) await sender.sendNext();
  t.is(good.received.length, 8);
  await silent.close();
  await sender.drain();
});

/** Claims, and counts the rows of deliveries that this reads. */
const countingClaim = (own: Pick<Awaited<ReturnType<typeof openOwnSender>>, 'database' | 'limits'>) => {
  // The counters of a connection may still contain what it read in earlier transactions.
  const readsOf = async (transaction: Database) => {
    const [row] = await query<{ reads: number }>(
      transaction,
      `select seq_tup_read + idx_tup_fetch as reads from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`,
    );
    return row?.reads ?? 0;
  };
  return own.database.transaction(async (transaction) => {
    const before = await readsOf(transaction);
    const claimed = await createWebhookQueue(transaction).claimDue(own.limits, CLAIM_REQUEST);
    return { claimed, reads: (await readsOf(transaction)) - before };
  });
};

test('a claim reads a few rows, however many deliveries are due, wait for a broken receiver, or are due later', async (t) => {
  const own = await openReceiver(t, { count: 20_000, status: 500 });
  await query(own.database, 'analyze webhook_deliveries');
  const healthy = await countingClaim(own);
  t.is(healthy.claimed.length, 4);
  t.true(healthy.reads < 100, `${healthy.reads} rows`);
  await query(own.database, 'update webhook_deliveries set leased_until = null');
  await own.sendAll();
  const broken = await countingClaim(own);
  t.is(broken.claimed.length, 0);
  t.true(broken.reads < 100, `${broken.reads} rows`);
  await query(own.database, 'delete from webhook_receivers');
  await query(
    own.database,
    `update webhook_deliveries set status = 'retrying', leased_until = null, due_at = now() + interval '1 hour'`,
  );
  await query(own.database, 'vacuum analyze webhook_deliveries');
  const later = await countingClaim(own);
  t.is(later.claimed.length, 0);
  t.true(later.reads < 100, `${later.reads} rows`);
});

test('a claim looks at some of the thousands of receivers that one workspace waits for, in turns, and at those of all others', async (t) => {
  const own = await openOwnSender(t);
  await query(
    own.database,
    `insert into webhook_deliveries (workspace_id, url, origin, event_type, body, status, due_at)
     select :workspaceId, 'https://' || n || '.example.com/', 'https://' || n || '.example.com', 'compress.completed', '{}',
       'retrying', now() + interval '1 hour' from generate_series(1, 5000) n`,
    { workspaceId: own.scope.workspaceId },
  );
  const scope = { workspaceId: await own.services.stores.system.insertWorkspace('other'), collectionIds: null };
  await own.queue(await own.createWebhook('https://example.org/', {}, scope), 1);
  await query(own.database, 'vacuum analyze webhook_deliveries');
  const first = await countingClaim(own);
  t.deepEqual(
    first.claimed.map(({ origin }) => origin),
    ['https://example.org'],
  );
  t.true(first.reads < 1_500, `${first.reads} rows`);
  await query(own.database, `update webhook_deliveries set due_at = now() where origin = 'https://7.example.com'`);
  const [due] = await until(own.claim, ({ length }) => length > 0);
  t.is(due?.origin, 'https://7.example.com');
});
