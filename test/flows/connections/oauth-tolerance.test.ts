import { Client, Connection as TemporalConnection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import { OAuthClient, RefreshAnswer, RefreshState } from '#domain/records/oauth.ts';
import { REFRESH_SCHEDULE_ID } from '#workers/refresh-schedule.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTokenServer, type TokenBehaviour, type TokenServer } from '#test/support/servers/token-server.ts';

type Peer = { api: ApiClient; id: string; server: TokenServer };

/** Creates a connection to a token server with this behaviour. */
async function peerOf(
  t: ExecutionContext,
  behaviour: TokenBehaviour,
  { credentials = {}, endpoint }: { credentials?: Record<string, unknown>; endpoint?: string } = {},
): Promise<Peer> {
  const [api, server] = [await freshClient(), await startTokenServer(behaviour)];
  t.teardown(() => server.close());
  const { id } = await api.post('/connections', Connection, {
    json: {
      integration: 'tracker',
      integration_type: 'connectors',
      config: { oauth: { token_endpoint: endpoint ?? server.tokenEndpoint, client_auth: 'post' } },
      credentials: { client_id: 'loci', client_secret: 'x', refresh_token: 'rt-0', scope: 'read', ...credentials },
    },
    status: 201,
  });
  return { api, id, server };
}

const refresh = ({ api, id }: Peer) => api.post(`/oauth/refresh/${id}`, RefreshAnswer);
const fail = ({ api, id }: Peer) => api.fail(`/oauth/refresh/${id}`, { method: 'POST' });
const stateOf = ({ api, id }: Peer) => api.get(`/oauth/refresh/${id}`, RefreshState);
const secretsOf = async ({ api, id }: Peer) =>
  (await api.get(`/connections/${id}?include_credentials=true`, ConnectionDetail)).credentials;

const HOUR_MS = 3_600_000;

for (const [what, expires_in, isAssumed] of [
  ['a text', '3600', false],
  ['missing', undefined, true],
  ['absurd', 4e15, true],
  ['negative', -1, true],
] as const) {
  test(`a token lifetime that is ${what} does not fail the refresh`, async (t) => {
    const peer = await peerOf(t, () => ({ body: { access_token: 'at-1', expires_in } }));
    const startedMs = Date.now();
    const { status, expires_at } = await refresh(peer);
    t.is(status, 'active');
    const lifeMs = Date.parse(expires_at ?? '') - startedMs;
    t.true(lifeMs >= HOUR_MS && lifeMs < 2 * HOUR_MS);
    t.is((await stateOf(peer)).expires_assumed, isAssumed);
    t.like(await secretsOf(peer), { access_token: 'at-1', refresh_token: 'rt-0', scope: 'read' });
  });
}

test('an error in a response with status 200 is an error', async (t) => {
  for (const [body, status] of [
    [{ error: 'bad_refresh_token' }, 'expired'],
    [{ ok: false, error: 'invalid_refresh_token' }, 'expired'],
    [{ error: 'invalid_client' }, 'error'],
  ] as const) {
    const peer = await peerOf(t, () => ({ body }));
    t.is((await fail(peer)).status, 409);
    const state = await stateOf(peer);
    t.is(state.status, status);
    t.is(state.problem?.code, body.error);
    t.like(await secretsOf(peer), { refresh_token: 'rt-0' });
  }
});

test('a busy provider is retried while the callers wait', async (t) => {
  const statuses = [503, 429, 500];
  const peer = await peerOf(t, () => {
    const status = statuses.shift();
    return status ? { status, body: 'busy' } : { body: { access_token: 'at-1', expires_in: 3600 } };
  });
  const answers = await Promise.all([refresh(peer), refresh(peer)]);
  t.deepEqual(answers[0], answers[1]);
  t.is(peer.server.requests.length, 4);
  t.is((await stateOf(peer)).problem, null);
});

test('Retry-After of the provider is respected and returned with a 503', async (t) => {
  const peer = await peerOf(t, () => ({ status: 503, headers: { 'retry-after': '120' }, body: '' }));
  const answer = await fail(peer);
  t.deepEqual([answer.status, answer.code], [503, 'dependency_unavailable']);
  t.is(answer.headers.get('retry-after'), '120');
  t.is(peer.server.requests.length, 1);
  const { status, problem, next_refresh_at } = await stateOf(peer);
  t.is(status, 'active');
  t.like(problem, { code: 'http_503', failures: 1 });
  t.true(Date.parse(next_refresh_at ?? '') > Date.now());
});

test('when the provider stalls for 30 s, the request answers 503 while the run continues and succeeds', async (t) => {
  t.timeout(480_000);
  let isStalling = true;
  const peer = await peerOf(t, () => (isStalling ? 'stall' : { body: { access_token: 'at-1', expires_in: 3600 } }));
  const answer = await fail(peer);
  t.is(answer.status, 503);
  t.true(Number(answer.headers.get('retry-after')) > 0);
  isStalling = false;
  const refreshed = async () => {
    const state = await stateOf(peer);
    return state.last_refresh_at !== null && state;
  };
  const { status } = await eventually('the tokens are refreshed', refreshed, { timeoutMs: 240_000, everyMs: 500 });
  t.is(status, 'active');
  // One more request follows the unanswered one; a stalled worker may add another in between.
  t.true(peer.server.requests.length >= 2);
  t.is((await refresh(peer)).status, 'active');
});

test('a truncated response is requested once more', async (t) => {
  let requests = 0;
  const peer = await peerOf(t, () => {
    requests += 1;
    return requests === 1 ? 'cut' : { body: { access_token: 'at-1', expires_in: 3600 } };
  });
  t.is((await refresh(peer)).status, 'active');
  t.is(requests, 2);
});

test('a token endpoint with a forbidden address is a conflict, and nothing is sent', async (t) => {
  const inner = await peerOf(t, () => ({ body: {} }), { endpoint: 'http://127.0.0.1:9/token' });
  t.is((await fail(inner)).status, 409);
  t.like(await stateOf(inner), { status: 'error', problem: { code: 'endpoint_refused' } });
  for (const endpoint of ['http://example.com/token', 'http://user:word@127.99.0.1/token']) {
    const plain = await peerOf(t, () => ({ body: {} }), { endpoint });
    t.is((await fail(plain)).status, 409, endpoint);
    t.is((await stateOf(plain)).problem?.code, 'bad_endpoint', endpoint);
  }
});

async function refreshSchedule(t: ExecutionContext) {
  const { address, namespace } = testStack().temporal;
  const connection = await TemporalConnection.connect({ address });
  t.teardown(() => connection.close());
  return new Client({ connection, namespace }).schedule.getHandle(REFRESH_SCHEDULE_ID);
}

test('the schedule refreshes connections whose client was refused, after the workspace has replaced it', async (t) => {
  const [api, server] = [
    await freshClient(),
    await startTokenServer(({ parameters: { client_secret: secret } }) =>
      secret === 'new'
        ? { body: { access_token: 'at-1', expires_in: 3600 } }
        : { status: 401, body: { error: 'invalid_client' } },
    ),
  ];
  t.teardown(() => server.close());
  const put = async (client_secret: string) => {
    const json = { client_id: 'loci', client_secret, token_endpoint: server.tokenEndpoint, client_auth: 'post' };
    await api.get('/oauth/clients/tracker', OAuthClient, { method: 'PUT', json });
  };
  await put('expired');
  const { id } = await api.post('/connections', Connection, {
    json: { integration: 'tracker', integration_type: 'connectors', credentials: { refresh_token: 'rt-0' } },
    status: 201,
  });
  const peer = { api, id, server };
  t.is((await fail(peer)).status, 409);
  t.is((await stateOf(peer)).status, 'error');
  await put('new');
  const schedule = await refreshSchedule(t);
  const refreshed = async () => {
    await schedule.trigger();
    return (await stateOf(peer)).status === 'active';
  };
  await eventually('the schedule refreshes', refreshed, { everyMs: 1_000 });
  t.like(await secretsOf(peer), { access_token: 'at-1', refresh_token: 'rt-0' });
});

test('the schedule refreshes tokens that expire soon, except those of inactive connections', async (t) => {
  const behaviour: TokenBehaviour = () => ({ body: { access_token: 'at-1', expires_in: 3600 } });
  const peer = await peerOf(t, behaviour, { credentials: { expires_in: 30 } });
  const resting = await peerOf(t, behaviour, { credentials: { expires_in: 3600 } });
  await resting.api.get(`/connections/${resting.id}`, Connection, { method: 'PATCH', json: { status: 'inactive' } });
  const schedule = await refreshSchedule(t);
  const refreshed = async () => {
    await schedule.trigger();
    const now = await stateOf(peer);
    return now.last_refresh_at !== null && now;
  };
  const state = await eventually('the schedule refreshes', refreshed, { everyMs: 1_000 });
  t.true(Date.parse(state.next_refresh_at ?? '') > Date.now());
  t.is(peer.server.requests.length, 1);
  t.is(resting.server.requests.length, 0);
  t.is((await stateOf(resting)).next_refresh_at, null);
});
