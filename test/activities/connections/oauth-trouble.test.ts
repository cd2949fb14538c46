import { randomUUID } from 'node:crypto';
import test from 'ava';
import { openOwnConnection } from '#test/support/harness/own-connection.ts';

test('tokens that come while Postgres only hangs are not held until the step is given up', async (t) => {
  const { services, exchange, persist, secrets } = await openOwnConnection(t);
  const hanging = () => new Promise<never>(() => undefined);
  const credentialRefreshes = { ...services.stores.credentialRefreshes, writeTokens: hanging };
  const outcome = await exchange(randomUUID(), { ...services, stores: { ...services.stores, credentialRefreshes } });
  t.is(outcome.kind, 'tokens');
  t.deepEqual(await persist(outcome), { kind: 'refreshed' });
  t.like(await secrets(), { refresh_token: 'rt-1' });
});

test('all the tries of a run count as one failure when the schedule comes back', async (t) => {
  const { exchange, persist, dueInS } = await openOwnConnection(t, () => ({ status: 503, body: '' }));
  const run = randomUUID();
  for (let attempt = 1; attempt <= 6; attempt += 1) await persist(await exchange(run));
  const pauseS = await dueInS();
  t.true(pauseS !== null && pauseS < 600, `${pauseS} s`);
});
