import { randomUUID } from 'node:crypto';
import test from 'ava';
import { updateConnection } from '#operations/connections/update-connection.ts';
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
