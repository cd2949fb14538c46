import test from 'ava';
import { deleteWebhook } from '#operations/webhooks/delete-webhook.ts';
import { endOverdueDeliveries } from '#operations/webhooks/end-overdue-deliveries.ts';
import { updateWebhook } from '#operations/webhooks/update-webhook.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { query } from '#store/postgres.ts';
import { countDeliveries, openReceiver } from '#test/support/harness/own-sender.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

test('deliveries to a broken receiver end after 75 hours, in batches, and nothing is left to probe', async (t) => {
  const own = await openReceiver(t, { count: 2_500, status: 500 });
  await own.sendAll();
  const age = (hours: number) =>
    query(own.database, `update webhook_deliveries set queued_at = now() - :hours * interval '1 hour'`, { hours });
  await age(75);
  t.is(await endOverdueDeliveries(own.services), 0);
  await age(76);
  t.deepEqual([await endOverdueDeliveries(own.services), await endOverdueDeliveries(own.services)], [1_000, 1_000]);
  t.is(await endOverdueDeliveries(own.services), 500);
  t.is(await countDeliveries(own.database, 'failed'), 2_500);
  const [{ status_message: message } = { status_message: '' }] = await query<{ status_message: string }>(
    own.database,
    'select distinct status_message from webhook_deliveries',
  );
  t.regex(message, /receiver was broken .* Redeliver/);
  t.is((await own.probe()).status, 'over');
  t.like(await own.show(), { delivery_state: 'failing', next_attempt_at: null });

  // The next delivery is sent at once, and decides.
  await own.queue(own.webhookId, 3);
  const before = own.receiver.received.length;
  await own.sendAll();
  t.is(own.receiver.received.length, before + 1);
  t.is((await own.jobs()).length, 2, 'a new outage has a workflow of its own');
});

test('deliveries older than max_age_seconds are dropped, whether their receiver works or not', async (t) => {
  const own = await openReceiver(t, { count: 5, status: 204 });
  await query(own.database, `update webhook_deliveries set queued_at = now() - interval '2 minutes'`);
  await updateWebhook(own.services, own.caller, { id: own.webhookId, fields: { max_age_seconds: 60 } });
  await own.queue(own.webhookId, 2);
  await own.sendAll();
  t.is(own.receiver.received.length, 2, 'an old one is not sent even before it is dropped');
  t.is(await endOverdueDeliveries(own.services), 5);
  t.is(await countDeliveries(own.database, 'failed'), 5);
  const message = (
    await query<{ status_message: string }>(
      own.database,
      `select status_message from webhook_deliveries where status = 'failed' limit 1`,
    )
  )[0]?.status_message;
  t.regex(message ?? '', /max_age_seconds/);
});

test('deleting a webhook with 2,500 waiting deliveries ends 1,000 of them at once and the others in the background', async (t) => {
  const own = await openReceiver(t, { count: 2_500, status: 500 });
  await own.sendAll();
  const [job] = await own.jobs();
  await deleteWebhook(own.services, own.caller, own.webhookId);
  t.is(await countDeliveries(own.database, 'failed'), 1_000);
  t.deepEqual(await query(own.database, 'select workflow_id from wakes'), [{ workflow_id: job?.workflow_id }]);
  t.is(await createWebhookSender(own.services).sendDue(), 0);
  while ((await endOverdueDeliveries(own.services)) > 0);
  t.is(await countDeliveries(own.database, 'failed'), 2_500);
  t.is((await own.probe()).status, 'over');
});

test('a webhook that is enabled again sends nothing of before, however much that was', async (t) => {
  const own = await openReceiver(t, { count: 2_500, status: 204 });
  const change = (status: 'active' | 'disabled') =>
    updateWebhook(own.services, own.caller, { id: own.webhookId, fields: { status } });
  await change('disabled');
  await change('active');
  await own.queue(own.webhookId, 1);
  t.is(await createWebhookSender(own.services).sendDue(), 0, 'not before the others have ended');
  while ((await endOverdueDeliveries(own.services)) > 0);
  await own.sendAll();
  t.is(own.receiver.received.length, 1);
  t.deepEqual(
    [await countDeliveries(own.database, 'failed'), await countDeliveries(own.database, 'delivered')],
    [2_500, 1],
  );
});

// A receiver that answers 404 works, and refuses the messages: there is nothing that a new URL would end.
for (const status of [500, 404]) {
  test(`a new URL gets the deliveries at once that wait because of a ${status}, with all attempts`, async (t) => {
    const own = await openReceiver(t, { count: 20, status });
    await own.sendAll();
    const better = await startWebhookReceiver(t);
    await updateWebhook(own.services, own.caller, { id: own.webhookId, fields: { url: better.origin } });
    await own.sendAll();
    t.is(better.received.length, 20);
    t.is(await countDeliveries(own.database, 'delivered'), 20);
    const counted = await query(own.database, 'select distinct round_attempts from webhook_deliveries');
    t.deepEqual(counted, [{ round_attempts: 1 }]);
    t.is((await own.probe()).status, 'over');
  });
}

test('a new URL makes 2,500 deliveries due that wait for their next attempt', async (t) => {
  const own = await openReceiver(t, { count: 2_500, status: 204 });
  await query(
    own.database,
    `update webhook_deliveries set status = 'retrying', round_attempts = 5, due_at = now() + interval '1 day'`,
  );
  await updateWebhook(own.services, own.caller, { id: own.webhookId, fields: { url: `${own.receiver.origin}/new` } });
  const due = 'select count(*) as count from webhook_deliveries where due_at <= now() and round_attempts = 0';
  t.deepEqual(await query(own.database, due), [{ count: 2_500 }]);
});
