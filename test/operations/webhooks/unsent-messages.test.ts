import test from 'ava';
import { deleteWorkspace } from '#operations/workspaces/delete-workspace.ts';
import { query } from '#store/postgres.ts';
import { countDeliveries, openReceiver } from '#test/support/harness/own-sender.ts';

test('messages that cannot be signed are neither sent nor counted, and their receiver waits', async (t) => {
  const own = await openReceiver(t, { count: 20, status: 500 });
  const [{ sealed } = { sealed: '' }] = await query<{ sealed: string }>(
    own.database,
    'select sealed_secret as sealed from webhook_endpoints',
  );
  const seal = (text: string) => query(own.database, 'update webhook_endpoints set sealed_secret = :text', { text });
  const withoutKey = sealed.replace(/^sealed\.\d+/, 'sealed.999');
  const log = () =>
    query(
      own.database,
      `select (select count(*) from webhook_attempts)::int as attempts, sum(round_attempts)::int as counted from webhook_deliveries`,
    );
  await seal(withoutKey);
  await own.sendAll();
  t.deepEqual(await log(), [{ attempts: 0, counted: 0 }]);
  t.like(await own.show(), { delivery_state: 'ok', failing_since: null });
  t.is(own.receiver.received.length, 0);
  await query(own.database, 'update webhook_receivers set next_attempt_at = now()');
  await seal(sealed);
  await own.sendAll();
  t.like(await own.show(), { delivery_state: 'failing' });
  const tried = own.receiver.received.length;
  const counted = await log();
  await seal(withoutKey);
  const probed = await own.probe();
  t.like(probed, { status: 'failing', status_code: null });
  t.true(probed.wait_ms > 50_000, `${probed.wait_ms} ms`);
  t.deepEqual(await log(), counted);
  t.is(own.receiver.received.length, tried);
  own.state.status = 204;
  await seal(sealed);
  t.like(await own.probe(), { status: 'over', status_code: 204 });
  await own.sendAll();
  t.is(await countDeliveries(own.database, 'delivered'), 20);
});

test('deliveries whose messages could not be signed for as long as attempts are made end, and younger ones wait', async (t) => {
  const own = await openReceiver(t, { count: 5, status: 204 });
  await query(own.database, `update webhook_endpoints set sealed_secret = 'sealed.999.x'`);
  const [oldest] = await query<{ id: string }>(
    own.database,
    'select id from webhook_deliveries order by queued_at limit 1',
  );
  await query(own.database, `update webhook_deliveries set queued_at = now() - interval '76 hours' where id = :id`, {
    id: oldest?.id,
  });
  await own.sendAll();
  const ended = await query<{ id: string; message: string }>(
    own.database,
    `select id, status_message as message from webhook_deliveries where status = 'failed'`,
  );
  t.deepEqual(
    ended.map(({ id }) => id),
    [oldest?.id],
  );
  t.regex(ended[0]?.message ?? '', /could not be signed/);
  t.is(await countDeliveries(own.database, 'pending'), 4);
  t.is(own.receiver.received.length, 0);
});

test('a webhook whose former secret cannot be opened any more signs with the one of its rotation', async (t) => {
  const own = await openReceiver(t, { count: 2, status: 204 });
  await query(
    own.database,
    "update webhook_endpoints set previous_sealed_secret = 'sealed.999.x', previous_secret_until = now() + interval '1 h'",
  );
  await own.sendAll();
  t.is(await countDeliveries(own.database, 'delivered'), 2);
});

test('nothing is sent or probed for a workspace that is being deleted', async (t) => {
  const own = await openReceiver(t, { count: 20, status: 500 });
  await own.announce(`${own.receiver.origin}/once`);
  await own.sendAll();
  const { outage } = (await own.jobs())[0]?.args ?? {};
  t.truthy(outage, 'the receiver is broken');
  await query(own.database, 'update webhook_deliveries set due_at = now(), leased_until = null');
  const sent = own.receiver.received.length;
  await deleteWorkspace(own.services, own.caller);
  t.like(await own.probe(), { status: 'over' });
  t.deepEqual(await own.claim(), []);
  t.is(own.receiver.received.length, sent);
});
