import { randomUUID } from 'node:crypto';
import test from 'ava';
import { updateConnection } from '#operations/connections/update-connection.ts';
import { deleteWorkspace } from '#operations/workspaces/delete-workspace.ts';
import { openOwnConnection } from '#test/support/harness/own-connection.ts';

test('an exchange returns its tokens without waiting for a Postgres that hangs', async (t) => {
  const { services, exchange, persist, secrets } = await openOwnConnection(t);
  const hanging = () => new Promise<never>(() => undefined);
  const credentialRefreshes = { ...services.stores.credentialRefreshes, writeTokens: hanging };
  const outcome = await exchange(randomUUID(), { ...services, stores: { ...services.stores, credentialRefreshes } });
  t.is(outcome.kind, 'tokens');
  t.deepEqual(await persist(outcome), { kind: 'refreshed' });
  t.like(await secrets(), { refresh_token: 'rt-1' });
});

test('all attempts of a run count as one failure in the refresh schedule', async (t) => {
  const { exchange, persist, dueInS } = await openOwnConnection(t, () => ({ status: 503, body: '' }));
  const run = randomUUID();
  for (let attempt = 1; attempt <= 6; attempt += 1) await persist(await exchange(run));
  const pauseS = await dueInS();
  t.true(pauseS !== null && pauseS < 600, `${pauseS} s`);
});

test('a connection stays active and due while a page of a proxy answers for its provider', async (t) => {
  const html = { 'content-type': 'text/html' };
  const answers = [
    { status: 404, headers: html, body: 'default backend - 404' },
    { status: 302, headers: { ...html, location: 'https://status.example' }, body: '' },
    { status: 403, headers: html, body: '<h1>Forbidden</h1>' },
  ];
  const { exchange, persist, status, dueInS, subscribe, deliveries, secrets } = await openOwnConnection(
    t,
    () => answers.shift() ?? { body: { access_token: 'at-1', expires_in: 3600 } },
  );
  await subscribe();
  for (const code of ['http_404', 'http_302', 'http_403']) {
    t.like(await persist(await exchange(randomUUID())), { kind: 'unavailable', code });
    t.is(await status(), 'active');
    t.true(((await dueInS()) ?? 0) > 0, 'the next refresh is scheduled');
  }
  t.deepEqual(await deliveries(), []);
  await persist(await exchange(randomUUID()));
  t.like(await secrets(), { access_token: 'at-1' });
});

test('a connection that is set to active again after its token was refused is due for a refresh', async (t) => {
  const refusal = { status: 400, body: { error: 'invalid_grant' } };
  const {
    services,
    caller,
    connectionId: id,
    exchange,
    persist,
    status,
    dueInS,
  } = await openOwnConnection(t, () => refusal);
  await persist(await exchange(randomUUID()));
  t.is(await status(), 'expired');
  t.is(await dueInS(), null);
  await updateConnection(services, caller, { id, fields: { label: 'renamed' } });
  t.is(await dueInS(), null);
  await updateConnection(services, caller, { id, fields: { status: 'active' } });
  t.is(await status(), 'active');
  const dueS = await dueInS();
  t.true(dueS !== null && dueS <= 0, String(dueS));
});

test('a connection stays active and due while the provider still processes a request whose answer was lost', async (t) => {
  const busy = { error: 'invalid_grant', error_description: 'token request is already being processed' };
  const answers = ['cut', { status: 400, body: busy }, { body: { access_token: 'at-1', expires_in: 3600 } }] as const;
  let requests = 0;
  const { exchange, persist, status, fence, dueInS, secrets } = await openOwnConnection(
    t,
    () => answers[(requests += 1) - 1] ?? 'stall',
    'salesforce',
  );
  const run = randomUUID();
  await persist(await exchange(run));
  const second = await exchange(run);
  t.like(second, { kind: 'unavailable', code: 'invalid_grant', is_unknown: true, sends: 2 });
  t.deepEqual(await persist(second), { kind: 'unavailable', code: 'invalid_grant', retry_after_s: null });
  t.is(await status(), 'active');
  t.like(await fence(), { state: 'sending', sends: 2 }, 'nobody knows what became of the first send');
  t.true(((await dueInS()) ?? 0) > 0, 'the next refresh is scheduled');
  await persist(await exchange(randomUUID()));
  t.like(await secrets(), { access_token: 'at-1', refresh_token: 'rt-0' });
});

test('a token whose outcome is unknown is not sent a third time in a run after a provider that was away', async (t) => {
  const answers = ['cut', { status: 503, body: '' }] as const;
  let requests = 0;
  const { exchange, persist, server } = await openOwnConnection(t, () => answers[(requests += 1) - 1] ?? 'cut');
  const run = randomUUID();
  for (let attempt = 1; attempt <= 2; attempt += 1) await persist(await exchange(run));
  t.like(await exchange(run), { kind: 'unavailable', code: 'outcome_unknown' });
  t.is(server.requests.length, 2);
});

test('a connection that was set to inactive stays so after a refusal, and after new credentials', async (t) => {
  const refusal = { status: 400, body: { error: 'invalid_grant' } };
  const own = await openOwnConnection(t, () => refusal);
  await own.subscribe();
  await updateConnection(own.services, own.caller, { id: own.connectionId, fields: { status: 'inactive' } });
  t.like(await own.persist(await own.exchange(randomUUID())), { kind: 'refused', status: 'expired' });
  t.is(await own.status(), 'inactive');
  t.deepEqual(await own.deliveries(), [], 'nothing changed that could be announced');
  await own.replace({ client_id: 'loci', refresh_token: 'rt-1' });
  t.is(await own.status(), 'inactive');
});

test('tokens of a workspace that is being deleted are not refreshed by the schedule', async (t) => {
  const { services, caller, database } = await openOwnConnection(t);
  const claim = async () => {
    await database.raw('update credentials set due_at = now()');
    return services.stores.system.claimDueRefreshes({ workspaceId: null, limit: 10 });
  };
  t.is((await claim()).length, 1);
  await deleteWorkspace(services, caller);
  t.deepEqual(await claim(), []);
});
