import { randomUUID } from 'node:crypto';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { openOwnConnection, strictRotation } from '#test/support/harness/own-connection.ts';

test('an exchange persists its tokens, and the next activity finds them persisted', async (t) => {
  const { exchange, persist, secrets, server } = await openOwnConnection(t);
  const run = randomUUID();
  const outcome = await exchange(run);
  t.is(outcome.kind, 'tokens');
  t.like(await secrets(), { access_token: 'at-1', refresh_token: 'rt-1' });
  t.notRegex(JSON.stringify(outcome), /at-1|rt-1|rt-0/);
  t.deepEqual(await persist(outcome), { kind: 'refreshed' });
  t.deepEqual(await persist(outcome), { kind: 'refreshed' }, 'persisting again changes nothing');
  t.is(server.requests.length, 1);
});

test('no second exchange follows when a worker crashed after persisting the tokens, no matter how much later', async (t) => {
  const { exchange, age, secrets, server } = await openOwnConnection(t);
  const run = randomUUID();
  await exchange(run);
  await age();
  t.deepEqual(await exchange(run), { kind: 'fresh' });
  t.is(server.requests.length, 1);
  t.is((await exchange(randomUUID())).kind, 'tokens', 'another run exchanges');
  t.like(await secrets(), { refresh_token: 'rt-2' });
});

test('tokens received while Postgres is unavailable are persisted by the next activity', async (t) => {
  const { services, exchange, persist, secrets } = await openOwnConnection(t);
  const away = () => Promise.reject(new AppError('dependency_unavailable', 'away'));
  const credentialRefreshes = { ...services.stores.credentialRefreshes, writeTokens: away };
  const outcome = await exchange(randomUUID(), { ...services, stores: { ...services.stores, credentialRefreshes } });
  t.is(outcome.kind, 'tokens');
  t.like(await secrets(), { refresh_token: 'rt-0' });
  t.deepEqual(await persist(outcome), { kind: 'refreshed' });
  t.like(await secrets(), { access_token: 'at-1', refresh_token: 'rt-1' });
});

test('after an exchange with an unknown outcome, the old token is sent only once more in that run', async (t) => {
  const { exchange, persist, server, fence, status } = await openOwnConnection(t, () => 'cut');
  const run = randomUUID();
  const first = await exchange(run);
  t.like(first, { kind: 'unavailable', is_unknown: true, sends: 1 });
  t.like(await fence(), { state: 'sending', sends: 1 });
  t.like(await exchange(run), { kind: 'unavailable', is_unknown: true, sends: 2 });
  const third = await exchange(run);
  t.like(third, { kind: 'unavailable', code: 'outcome_unknown' });
  t.is(server.requests.length, 2);
  t.like(await persist(third), { kind: 'unavailable' });
  t.is(await status(), 'active', 'only an answer of the provider can expire the grant');
  t.like(await exchange(randomUUID()), { kind: 'unavailable', sends: 1 }, 'another run starts over');
});

test('an exchange is retried as often as the provider answers with Retry-After', async (t) => {
  const { exchange, persist } = await openOwnConnection(t, () => ({
    status: 503,
    headers: { 'retry-after': '7' },
    body: '',
  }));
  const run = randomUUID();
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const outcome = await exchange(run);
    t.like(outcome, { kind: 'unavailable', code: 'http_503', is_unknown: false, sends: 1, retry_after_s: 7 });
    await persist(outcome);
  }
});

test('an exchange does not overwrite credentials that were replaced while it ran', async (t) => {
  const waiting = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { exchange, persist, secrets, replace, status } = await openOwnConnection(t, async () => {
    arrived.resolve();
    await waiting.promise;
    return { body: { access_token: 'late', refresh_token: 'late' } };
  });
  const exchanging = exchange(randomUUID());
  await arrived.promise;
  await replace({ refresh_token: 'newer' });
  waiting.resolve();
  t.deepEqual(await persist(await exchanging), { kind: 'superseded' });
  t.deepEqual(await secrets(), { refresh_token: 'newer' });
  t.is(await status(), 'active');
});

test('rejected credentials that were replaced meanwhile do not change the connection status', async (t) => {
  const { exchange, persist, replace, status } = await openOwnConnection(t, () => ({
    status: 400,
    body: { error: 'invalid_grant' },
  }));
  const outcome = await exchange(randomUUID());
  await replace({ refresh_token: 'newer' });
  t.deepEqual(await persist(outcome), { kind: 'superseded' });
  t.is(await status(), 'active');
});

test('tokens of a stalled attempt win over the rejection of the attempt that replaced it', async (t) => {
  const strict = strictRotation();
  const waiting = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let requests = 0;
  const { exchange, persist, secrets, status } = await openOwnConnection(t, async (request) => {
    const reply = await strict(request);
    requests += 1;
    if (requests > 1) return reply;
    arrived.resolve();
    await waiting.promise;
    return reply;
  });
  const run = randomUUID();
  const stalled = exchange(run);
  await arrived.promise;
  const second = await exchange(run);
  t.like(second, { kind: 'refused', status: 'expired' });
  waiting.resolve();
  t.is((await stalled).kind, 'tokens');
  t.deepEqual(await persist(second), { kind: 'refreshed' });
  t.is(await status(), 'active');
  t.like(await secrets(), { refresh_token: 'rt-1' });
});

test('a rejected grant expires the connection and enqueues one webhook event in the same transaction', async (t) => {
  const { exchange, persist, status, deliveries, subscribe, replace } = await openOwnConnection(
    t,
    ({ parameters }) => ({
      status: 400,
      body: { error: parameters['refresh_token'] === 'rt-0' ? 'invalid_grant' : 'invalid_client' },
    }),
  );
  await subscribe();
  for (let again = 1; again <= 2; again += 1) {
    t.deepEqual(await persist(await exchange(randomUUID())), {
      kind: 'refused',
      status: 'expired',
      code: 'invalid_grant',
    });
    t.is(await status(), 'expired');
    t.deepEqual(await deliveries(), ['connection.expired']);
  }
  const config = { client_id: 'loci', client_secret: 'wrong', refresh_token: 'rt-1' };
  await replace(config);
  t.is(await status(), 'active', 'with new credentials');
  t.like(await persist(await exchange(randomUUID())), { kind: 'refused', status: 'error' });
  t.deepEqual((await deliveries()).toSorted(), ['connection.error', 'connection.expired']);
});

test('an unavailable provider is retried with growing delays, reported after a day, and the status recovers when it is back', async (t) => {
  let isAway = true;
  const { exchange, persist, status, deliveries, subscribe, drag, awayFor, dueInS } = await openOwnConnection(t, () =>
    isAway ? { status: 500, body: '' } : { body: { access_token: 'at-1', expires_in: 3600 } },
  );
  await subscribe();
  const pauses: number[] = [];
  for (const minutes of [0, 2, 4]) {
    await awayFor(minutes);
    await persist(await exchange(randomUUID()));
    pauses.push((await dueInS()) ?? 0);
  }
  t.true(
    pauses.every((pause, index) => pause > 60 * 2 ** index - 10 && pause < 75 * 2 ** index),
    pauses.join(' '),
  );
  t.deepEqual([await status(), await deliveries()], ['active', []]);
  await drag();
  await persist(await exchange(randomUUID()));
  t.deepEqual([await status(), await deliveries()], ['error', ['connection.error']]);
  t.true(((await dueInS()) ?? 0) > 0, 'the next refresh is scheduled');
  isAway = false;
  await persist(await exchange(randomUUID()));
  t.is(await status(), 'active');
});

test('connection.error is announced once, however often the refresh fails after it', async (t) => {
  const { exchange, persist, status, deliveries, subscribe, drag } = await openOwnConnection(t, () => ({
    status: 503,
    body: '',
  }));
  await subscribe();
  await persist(await exchange(randomUUID()));
  for (let again = 1; again <= 5; again += 1) {
    await drag();
    const outcome = await exchange(randomUUID());
    await Promise.all([persist(outcome), persist(outcome)]);
    t.deepEqual([await status(), await deliveries()], ['error', ['connection.error']]);
  }
});

test('an expired connection stays expired while its provider is away, and is announced once', async (t) => {
  let isAway = false;
  const { exchange, persist, status, deliveries, subscribe, drag } = await openOwnConnection(t, () =>
    isAway ? { status: 503, body: '' } : { status: 400, body: { error: 'invalid_grant' } },
  );
  await subscribe();
  await persist(await exchange(randomUUID()));
  t.is(await status(), 'expired');
  for (let again = 1; again <= 4; again += 1) {
    await drag();
    isAway = !isAway;
    await persist(await exchange(randomUUID()));
    t.deepEqual([await status(), await deliveries()], ['expired', ['connection.expired']]);
  }
});
