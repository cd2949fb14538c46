import test, { type ExecutionContext } from 'ava';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import { ConnectionList, RefreshAnswer, RefreshState } from '#domain/records/oauth.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTokenServer, type TokenBehaviour, type TokenServer } from '#test/support/servers/token-server.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

async function serverOf(t: ExecutionContext, behaviour: TokenBehaviour): Promise<TokenServer> {
  const server = await startTokenServer(behaviour);
  t.teardown(() => server.close());
  return server;
}

/** Creates a connection to the server with its own OAuth client. */
const connect = (api: ApiClient, { tokenEndpoint }: TokenServer, credentials: Record<string, unknown> = {}) =>
  api.post('/connections', Connection, {
    json: {
      integration: 'tracker',
      integration_type: 'connectors',
      config: { oauth: { token_endpoint: tokenEndpoint } },
      credentials: {
        client_id: 'loci',
        client_secret: 'canary-secret',
        access_token: 'at-0',
        refresh_token: 'rt-0',
        scope: 'read',
        ...credentials,
      },
    },
    status: 201,
  });
const refresh = (api: ApiClient, id: string) => api.post(`/oauth/refresh/${id}`, RefreshAnswer);
const secretsOf = async (api: ApiClient, id: string) =>
  (await api.get(`/connections/${id}?include_credentials=true`, ConnectionDetail)).credentials;

test('a refresh stores the new tokens and returns when they expire', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t, () => ({
    body: { access_token: 'at-1', refresh_token: 'rt-1', token_type: 'Bearer', expires_in: 7200, scope: 'read write' },
  }));
  const { id } = await connect(api, server);
  const startedMs = Date.now();
  const answer = await refresh(api, id);
  t.deepEqual(Object.keys(answer).sort(), ['connection_id', 'expires_at', 'status']);
  t.like(answer, { status: 'active', connection_id: id });
  const endsMs = Date.parse(answer.expires_at ?? '');
  t.true(endsMs >= startedMs + 7_200_000 && endsMs <= Date.now() + 7_200_000);
  const [request] = server.requests;
  t.deepEqual(request?.parameters, { grant_type: 'refresh_token', refresh_token: 'rt-0' });
  t.is(request?.headers.authorization, `Basic ${Buffer.from('loci:canary-secret').toString('base64')}`);
  t.like(await secretsOf(api, id), {
    access_token: 'at-1',
    refresh_token: 'rt-1',
    scope: 'read write',
    client_secret: 'canary-secret',
    expires_at: answer.expires_at,
  });
  t.deepEqual(await refresh(api, id), answer, 'a second refresh shortly after returns the same response');
  t.is(server.requests.length, 1);
});

test('concurrent refresh requests share one token exchange', async (t) => {
  const api = await freshClient();
  let tokens = 0;
  const server = await serverOf(t, () => {
    tokens += 1;
    return { body: { access_token: `at-${tokens}`, refresh_token: `rt-${tokens}`, expires_in: 3600 } };
  });
  const { id } = await connect(api, server);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  for (let round = 1; round <= 3; round += 1) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(api, id)));
    t.is(new Set(answers.map(({ expires_at }) => expires_at)).size, 1);
    t.is(server.requests.length, round);
    await behind.query(
      `update credentials set last_refresh_at = last_refresh_at - interval '1 minute'
       where id = (select credential_id from connections where id = :id)`,
      { id },
    );
  }
});

test('lists have the state of all tokens if they are asked for it, and credentials that cannot be opened hide only their own', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t, () => ({ status: 400, body: { error: 'invalid_grant' } }));
  const json = { integration: 'tracker', integration_type: 'connectors' };
  const bare = await api.post('/connections', Connection, { json, status: 201 });
  const refused = await connect(api, server, { expires_in: 3600 });
  await api.fail(`/oauth/refresh/${refused.id}`, { method: 'POST' });
  const broken = await connect(api, server);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  await behind.query(`update credentials set sealed = 'altered' where id = :id`, { id: broken.credential_id });

  const { data } = await api.get('/connections?include_token_state=true', ConnectionList);
  const state = await api.get(`/oauth/refresh/${refused.id}`, RefreshState);
  t.like(state, { can_refresh: true, problem: { code: 'invalid_grant', failures: 1 } });
  t.deepEqual(
    data.map(({ id, token_state: tokens }) => [id, tokens]),
    [
      [bare.id, null],
      [refused.id, state],
      [broken.id, null],
    ],
  );
  t.notRegex(JSON.stringify(data), /canary|rt-0|at-0/);
  const plain = await api.get('/connections', ConnectionList);
  t.deepEqual(
    plain.data.map((connection) => 'token_state' in connection),
    [false, false, false],
  );
});

test('a missing refresh token, or one that the provider rejects, answers 409', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t, () => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: 'canary' },
  }));
  const bare = await api.post('/connections', Connection, {
    json: { integration: 'tracker', integration_type: 'connectors' },
    status: 201,
  });
  t.like(await api.fail(`/oauth/refresh/${bare.id}`, { method: 'POST' }), { status: 409, code: 'conflict' });
  const without = await connect(api, server, { refresh_token: null });
  t.like(await api.fail(`/oauth/refresh/${without.id}`, { method: 'POST' }), { status: 409, code: 'conflict' });
  t.is(server.requests.length, 0);
  const { id } = await connect(api, server);
  const refused = await api.fail(`/oauth/refresh/${id}`, { method: 'POST' });
  t.like(refused, { status: 409, code: 'conflict' });
  t.regex(JSON.stringify(refused.body), /invalid_grant/);
  t.notRegex(JSON.stringify(refused.body), /canary/);
  t.is((await api.get(`/connections/${id}`, Connection)).status, 'expired');
  t.is((await api.fail(`/oauth/refresh/${id}`, { method: 'POST' })).status, 409);
  t.is(server.requests.length, 1, 'the provider is not asked again immediately');
});

test('a refresh without an OAuth client sets the connection to error, until there is one', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t, () => ({ body: { access_token: 'at-1', token_type: 'Bearer', expires_in: 7200 } }));
  const credentials = { access_token: 'at-0', refresh_token: 'rt-0' };
  const json = { integration: 'crm', integration_type: 'connectors', credentials };
  const { id, status } = await api.post('/connections', Connection, { json, status: 201 });
  t.is(status, 'active');
  const fail = () => api.fail(`/oauth/refresh/${id}`, { method: 'POST' });
  for (const attempt of ['first', 'repeated']) {
    const refused = await fail();
    t.deepEqual([refused.status, refused.code], [409, 'conflict'], attempt);
    t.regex(JSON.stringify(refused.body.detail), /There is no OAuth client for crm/, attempt);
  }
  t.is((await api.get(`/connections/${id}`, Connection)).status, 'error');
  const { problem } = await api.get(`/oauth/refresh/${id}`, RefreshState);
  t.like(problem, { code: 'no_client', failures: 1 });

  const client = { client_id: 'loci', client_secret: 'canary-hush', token_endpoint: server.tokenEndpoint };
  await api.send('/oauth/clients/crm', { method: 'PUT', json: client });
  t.is((await refresh(api, id)).status, 'active');
  t.is(server.requests.length, 1);
});
