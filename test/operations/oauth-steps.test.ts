import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { exchangeTokens } from '../../activities/oauth-steps.ts';
import { persistRefresh } from '../../activities/refresh-record.ts';
import { AppError } from '../../domain/app-error.ts';
import { administratorIn } from '../../domain/caller.ts';
import type { ConcludedExchange, ExchangeOutcome } from '../../domain/oauth-refresh.ts';
import { updateConnection } from '../../operations/change-connection.ts';
import { createConnection } from '../../operations/create-connection.ts';
import { getConnection } from '../../operations/get-connection.ts';
import { openOwnServices } from '../support/own-services.ts';
import { startTokenServer, type TokenBehaviour } from '../support/token-server.ts';

/** A provider that takes each refresh token once: whoever comes back with an old one loses the grant. */
function strictly(): TokenBehaviour {
  let current = 'rt-0';
  let number = 0;
  return ({ parameters }) => {
    if (parameters['refresh_token'] !== current) {
      current = 'revoked';
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    number += 1;
    current = `rt-${number}`;
    return { body: { access_token: `at-${number}`, refresh_token: current, expires_in: 3600 } };
  };
}

async function open(t: ExecutionContext, behaviour: TokenBehaviour = strictly()) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const server = await startTokenServer(behaviour);
  t.teardown(() => server.close());
  const caller = administratorIn(await services.stores.system.insertWorkspace('a test'));
  const { body: connection } = await createConnection(services, caller, {
    idempotency: null,
    body: {
      integration: 'tracker',
      integration_type: 'api',
      label: null,
      status: 'active',
      config: { oauth: { token_endpoint: server.tokenEndpoint } },
      credentials: { client_id: 'loci', client_secret: 'x', refresh_token: 'rt-0' },
    },
  });
  const workspace_id = caller.scope.workspaceId;
  const key = { workspace_id, connection_id: connection.id };
  return {
    services,
    server,
    caller,
    exchange: (run_id: string, using = services) => exchangeTokens(using, { ...key, run_id }),
    persist: (outcome: ExchangeOutcome) => persistRefresh(services, { workspace_id, outcome: concluded(outcome) }),
    secrets: async () =>
      (await getConnection(services, caller, { id: connection.id, includeCredentials: true })).credentials ?? {},
    status: async () =>
      (await getConnection(services, caller, { id: connection.id, includeCredentials: false })).status,
    replace: (credentials: Record<string, unknown>) =>
      updateConnection(services, caller, { id: connection.id, fields: { credentials } }),
    /** As if a minute had passed. */
    age: () => database.raw(`update credentials set last_refresh_at = last_refresh_at - interval '1 minute'`),
    /** As if it had gone on for two days, and the tokens had ended. */
    drag: async () => {
      await database.raw(`update credential_refreshes set failing_since = now() - interval '2 days'`);
      await database.raw(`update credentials set expires_at = now() - interval '1 day'`);
    },
    dueInS: async () => {
      const { rows } = await database.raw<{ rows: { s: number | null }[] }>(
        `select extract(epoch from due_at - now())::float8 as s from credentials`,
      );
      return rows[0]?.s ?? null;
    },
    fence: async () => (await services.stores.refreshes.find(caller.scope, connection.id))?.fence ?? null,
    deliveries: async () => {
      const { rows } = await database.raw<{ rows: { event_type: string }[] }>(
        'select event_type from webhook_deliveries',
      );
      return rows.map(({ event_type: type }) => type);
    },
    subscribe: () =>
      database.raw(
        `insert into webhook_endpoints (id, workspace_id, url, origin, status, sealed_secret)
         values (?, ?, 'https://example.com/hook', 'https://example.com', 'active', 'sealed')`,
        [randomUUID(), workspace_id],
      ),
  };
}

function concluded(outcome: ExchangeOutcome): ConcludedExchange {
  if ('target' in outcome) return outcome;
  throw new Error(`nothing was sent: ${outcome.kind}`);
}

test('an exchange writes the tokens itself, and the step after it finds them written', async (t) => {
  const { exchange, persist, secrets, server } = await open(t);
  const run = randomUUID();
  const outcome = await exchange(run);
  t.is(outcome.kind, 'tokens');
  t.like(await secrets(), { access_token: 'at-1', refresh_token: 'rt-1' });
  t.notRegex(JSON.stringify(outcome), /at-1|rt-1|rt-0/);
  t.deepEqual(await persist(outcome), { kind: 'refreshed' });
  t.deepEqual(await persist(outcome), { kind: 'refreshed' }, 'as often as it likes');
  t.is(server.requests.length, 1);
});

test('a worker that died after it had written leads to no second exchange, however late', async (t) => {
  const { exchange, age, secrets, server } = await open(t);
  const run = randomUUID();
  await exchange(run);
  await age();
  t.deepEqual(await exchange(run), { kind: 'fresh' });
  t.is(server.requests.length, 1);
  t.is((await exchange(randomUUID())).kind, 'tokens', 'another run exchanges');
  t.like(await secrets(), { refresh_token: 'rt-2' });
});

test('tokens that come while Postgres is away are written by the next step', async (t) => {
  const { services, exchange, persist, secrets } = await open(t);
  const away = () => Promise.reject(new AppError('dependency_unavailable', 'away'));
  const refreshes = { ...services.stores.refreshes, writeTokens: away };
  const outcome = await exchange(randomUUID(), { ...services, stores: { ...services.stores, refreshes } });
  t.is(outcome.kind, 'tokens');
  t.like(await secrets(), { refresh_token: 'rt-0' });
  t.deepEqual(await persist(outcome), { kind: 'refreshed' });
  t.like(await secrets(), { access_token: 'at-1', refresh_token: 'rt-1' });
});

test('after an exchange of which nobody knows the end the old token is sent once more, and no more in that run', async (t) => {
  const { exchange, persist, server, fence, status } = await open(t, () => 'cut');
  const run = randomUUID();
  const first = await exchange(run);
  t.like(first, { kind: 'unavailable', is_unknown: true, sends: 1 });
  t.like(await fence(), { state: 'sending', sends: 1 });
  t.like(await exchange(run), { kind: 'unavailable', is_unknown: true, sends: 2 });
  const third = await exchange(run);
  t.like(third, { kind: 'unavailable', code: 'outcome_unknown' });
  t.is(server.requests.length, 2);
  t.like(await persist(third), { kind: 'unavailable' });
  t.is(await status(), 'active', 'only the provider can say that a grant is gone');
  t.like(await exchange(randomUUID()), { kind: 'unavailable', sends: 1 }, 'another run begins anew');
});

test('a provider that has no time for now is asked again as often as it says so', async (t) => {
  const { exchange, persist } = await open(t, () => ({ status: 503, headers: { 'retry-after': '7' }, body: '' }));
  const run = randomUUID();
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const outcome = await exchange(run);
    t.like(outcome, { kind: 'unavailable', code: 'http_503', is_unknown: false, sends: 1, retry_after_s: 7 });
    await persist(outcome);
  }
});

test('new credentials that were sent meanwhile are not overwritten', async (t) => {
  const waiting = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { exchange, persist, secrets, replace, status } = await open(t, async () => {
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

test('a refusal of credentials that were replaced meanwhile marks nothing', async (t) => {
  const { exchange, persist, replace, status } = await open(t, () => ({
    status: 400,
    body: { error: 'invalid_grant' },
  }));
  const outcome = await exchange(randomUUID());
  await replace({ refresh_token: 'newer' });
  t.deepEqual(await persist(outcome), { kind: 'superseded' });
  t.is(await status(), 'active');
});

test('a stalled attempt that comes back with the tokens beats the refusal of the one that took its place', async (t) => {
  const strict = strictly();
  const waiting = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let requests = 0;
  const { exchange, persist, secrets, status } = await open(t, async (request) => {
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

test('a refused grant expires the connection, and webhooks hear of it once, in the same transaction', async (t) => {
  const { exchange, persist, status, deliveries, subscribe, replace } = await open(t, ({ parameters }) => ({
    status: 400,
    body: { error: parameters['refresh_token'] === 'rt-0' ? 'invalid_grant' : 'invalid_client' },
  }));
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

test('a provider that stays away is told of after a day, tried later and later, and forgiven when it is back', async (t) => {
  let isAway = true;
  const { exchange, persist, status, deliveries, subscribe, drag, dueInS } = await open(t, () =>
    isAway ? { status: 500, body: '' } : { body: { access_token: 'at-1', expires_in: 3600 } },
  );
  await subscribe();
  const pauses: number[] = [];
  for (let failure = 1; failure <= 3; failure += 1) {
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
  t.true(((await dueInS()) ?? 0) > 0, 'it is still tried');
  isAway = false;
  await persist(await exchange(randomUUID()));
  t.is(await status(), 'active');
});
