import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import {
  AuthorizeAnswer,
  OAuthClient,
  OAuthClientList,
  OAuthProviderList,
  RefreshState,
} from '#domain/records/oauth.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTokenServer, type TokenBehaviour, type TokenServer } from '#test/support/servers/token-server.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const tokens = { access_token: 'at-1', refresh_token: 'rt-1', token_type: 'bearer', expires_in: 3600 };

async function serverOf(t: ExecutionContext, behaviour: TokenBehaviour = () => ({ body: tokens })) {
  const server = await startTokenServer(behaviour);
  t.teardown(() => server.close());
  return server;
}

const oauthOf = ({ tokenEndpoint, authorizationEndpoint }: TokenServer) => ({
  token_endpoint: tokenEndpoint,
  authorization_endpoint: authorizationEndpoint,
});

const connect = (api: ApiClient, server: TokenServer, json: Record<string, unknown> = {}) =>
  api.post('/connections', Connection, {
    json: {
      integration: 'tracker',
      integration_type: 'connectors',
      config: { oauth: { ...oauthOf(server), scope: 'read' } },
      credentials: { client_id: 'loci', client_secret: 'hush' },
      ...json,
    },
    status: 201,
  });

async function begin(api: ApiClient, id: string, json: Record<string, unknown> = {}) {
  const answer = await api.post(`/oauth/authorize/${id}`, AuthorizeAnswer, { json });
  const url = new URL(answer.authorization_url);
  return { answer, url, state: url.searchParams.get('state') ?? '' };
}

const identityToken = (sub: string) => {
  const payload = Buffer.from(JSON.stringify({ iss: 'https://accounts.example', sub })).toString('base64url');
  return `e30.${payload}.e30`;
};

const returnFromProvider = (parameters: Record<string, string>) =>
  fetch(`${testStack().baseUrl}/api/v1/oauth/callback?${new URLSearchParams(parameters).toString()}`, {
    redirect: 'manual',
  });

const secretsOf = async (api: ApiClient, id: string) =>
  (await api.get(`/connections/${id}?include_credentials=true`, ConnectionDetail)).credentials;

test('a completed authorization stores the tokens in the connection', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t);
  const { id } = await connect(api, server);
  const { answer, url, state } = await begin(api, id);
  t.is(answer.connection_id, id);
  t.true(Date.parse(answer.expires_at) > Date.now());
  t.is(url.origin + url.pathname, server.authorizationEndpoint);
  const asked = Object.fromEntries(url.searchParams);
  const redirect_uri = asked['redirect_uri'] ?? '';
  t.like(asked, { response_type: 'code', client_id: 'loci', scope: 'read', code_challenge_method: 'S256' });
  t.true(redirect_uri.endsWith('/api/v1/oauth/callback'));

  const page = await returnFromProvider({ state, code: 'a-code' });
  t.is(page.status, 200);
  t.regex(page.headers.get('content-type') ?? '', /^text\/html/);
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  t.regex(await page.text(), /Connected/);
  const sent: Readonly<Record<string, string>> = server.requests[0]?.parameters ?? {};
  t.like(sent, { grant_type: 'authorization_code', code: 'a-code', redirect_uri });
  const challenge = createHash('sha256')
    .update(sent['code_verifier'] ?? '')
    .digest('base64url');
  t.is(challenge, asked['code_challenge'] ?? '', 'the same client came back');
  t.like(await secretsOf(api, id), { access_token: 'at-1', refresh_token: 'rt-1', client_secret: 'hush' });
  const fresh = await api.get(`/oauth/refresh/${id}`, RefreshState);
  t.like(fresh, { status: 'active', can_refresh: true, expires_assumed: false, problem: null });
  t.true(Date.parse(fresh.next_refresh_at ?? '') < Date.parse(fresh.expires_at ?? ''));
});

test('the refresh token of another account does not outlive an authorization, that of the same account does', async (t) => {
  const api = await freshClient();
  const answers = [
    { refresh_token: 'rt-ada', id_token: identityToken('ada') },
    { id_token: identityToken('ada') },
    { id_token: identityToken('bob') },
    { refresh_token: 'rt-bob', id_token: identityToken('bob') },
    {},
    { refresh_token: 'rt-unknown' },
    {},
    { id_token: identityToken('ada') },
  ];
  const server = await serverOf(t, () => ({ body: { access_token: 'at', expires_in: 3600, ...answers.shift() } }));
  const { id } = await connect(api, server);
  for (const kept of ['rt-ada', 'rt-ada', undefined, 'rt-bob', undefined, 'rt-unknown', 'rt-unknown', undefined]) {
    t.is((await returnFromProvider({ state: (await begin(api, id)).state, code: 'x' })).status, 200);
    t.is((await secretsOf(api, id))?.['refresh_token'], kept);
    t.is((await api.get(`/oauth/refresh/${id}`, RefreshState)).can_refresh, kept !== undefined);
  }
});

test('a state can be used once, expires, and is stored only as a hash', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t);
  const { id } = await connect(api, server);
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const { state } = await begin(api, id);
  const rows = await behind.query(`select * from oauth_states where connection_id = :id`, { id });
  t.is(rows.length, 1);
  t.false(JSON.stringify(rows).includes(state));
  t.is((await returnFromProvider({ state, code: 'one' })).status, 200);
  const again = await returnFromProvider({ state, code: 'two' });
  t.is(again.status, 400);
  for (const parameters of [
    { state: 'nonsense', code: 'x' },
    { state: `${state}x`, code: 'x' },
  ]) {
    t.is((await returnFromProvider(parameters)).status, 400);
  }
  t.is((await returnFromProvider({ code: 'x' })).status, 422);
  const old = await begin(api, id);
  await behind.query(`update oauth_states set expires_at = now() where connection_id = :id`, { id });
  t.is((await returnFromProvider({ state: old.state, code: 'x' })).status, 400);
  t.is(server.requests.length, 1, 'only the first one was exchanged');
});

test('a declined authorization or a rejected code is shown to the user and leaves the connection unchanged', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t, () => ({ status: 400, body: { error: 'invalid_grant' } }));
  const { id } = await connect(api, server);
  const declined = await returnFromProvider({ state: (await begin(api, id)).state, error: 'access_denied' });
  t.is(declined.status, 400);
  t.regex(await declined.text(), /access_denied/);
  const hostile = await returnFromProvider({ state: (await begin(api, id)).state, error: '<script>alert(1)</script>' });
  t.notRegex(await hostile.text(), /script/);
  const refused = await returnFromProvider({ state: (await begin(api, id)).state, code: 'x' });
  t.regex(await refused.text(), /invalid_grant/);
  t.is((await api.get(`/connections/${id}`, Connection)).status, 'active');
  t.deepEqual(await secretsOf(api, id), { client_id: 'loci', client_secret: 'hush' });
});

test('users are redirected only to URLs that the operator allows', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t);
  const { id } = await connect(api, server);
  for (const redirect_url of ['https://evil.example/', 'https://app.example.com/elsewhere', 'javascript:alert(1)']) {
    const refused = await api.fail(`/oauth/authorize/${id}`, { method: 'POST', json: { redirect_url } });
    t.is(refused.status, 422, redirect_url);
  }
  const redirect_url = 'https://app.example.com/connected?tab=2';
  const connected = await returnFromProvider({ state: (await begin(api, id, { redirect_url })).state, code: 'x' });
  t.is(connected.status, 303);
  t.is(connected.headers.get('location'), `${redirect_url}&connection_id=${id}&status=connected`);
  const declined = await returnFromProvider({
    state: (await begin(api, id, { redirect_url })).state,
    error: 'access_denied',
  });
  t.is(declined.headers.get('location'), `${redirect_url}&connection_id=${id}&status=failed&error=access_denied`);
});

test('repeated with the same Idempotency-Key, an OAuth client does not come back after it was deleted', async (t) => {
  const api = await freshClient();
  const json = { client_id: 'shared', client_secret: 'canary-hush' };
  const put = () =>
    api.get('/oauth/clients/google', OAuthClient, { method: 'PUT', json, headers: { 'Idempotency-Key': 'client-1' } });
  const first = await put();
  t.is((await api.send('/oauth/clients/google', { method: 'DELETE' })).status, 204);
  t.deepEqual(await put(), first);
  t.is((await api.get('/oauth/clients', OAuthClientList)).total_count, 0);
});

test('connections use the OAuth client of their workspace, whose secret is never sent to their own endpoint', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t);
  const put = (provider: string, json: unknown) =>
    api.get(`/oauth/clients/${provider}`, OAuthClient, { method: 'PUT', json });
  const made = await put('crm', {
    client_id: 'shared',
    client_secret: 'canary-hush',
    client_auth: 'post',
    ...oauthOf(server),
  });
  t.like(made, { provider: 'crm', client_id: 'shared', has_secret: true });
  const list = await (await api.send('/oauth/clients')).text();
  t.false(list.includes('canary-hush'));
  t.is(OAuthClientList.parse(JSON.parse(list)).total_count, 1);

  const json = { integration: 'crm', config: {}, credentials: { refresh_token: 'rt-0' } };
  const { id } = await connect(api, server, json);
  t.is((await api.send(`/oauth/refresh/${id}`, { method: 'POST' })).status, 200);
  t.like(server.requests[0]?.parameters, { client_id: 'shared', client_secret: 'canary-hush', refresh_token: 'rt-0' });

  const thief = await serverOf(t);
  const stolen = await connect(api, server, { ...json, config: { oauth: { token_endpoint: thief.tokenEndpoint } } });
  t.is((await api.fail(`/oauth/refresh/${stolen.id}`, { method: 'POST' })).status, 409);
  t.is(thief.requests.length, 0);

  t.is((await api.send('/oauth/clients/crm', { method: 'DELETE' })).status, 204);
  const without = await api.fail(`/oauth/authorize/${id}`, { method: 'POST', json: {} });
  t.deepEqual([without.status, without.code], [409, 'conflict']);
  t.is((await api.fail('/oauth/clients/other', { method: 'PUT', json: { client_id: 'x' } })).status, 422);
  t.true((await api.get('/oauth/providers', OAuthProviderList)).data.some(({ name }) => name === 'google'));
});

test('changing a token endpoint requires new credentials or connections:reveal', async (t) => {
  const api = await freshClient();
  const server = await serverOf(t);
  const { id, config } = await connect(api, server);
  const { key } = await createKey({
    workspaceId: api.workspaceId,
    permissions: ['connections:write', 'workspaces:write'],
  });
  const limited = apiClient(key);
  const moved = { config: { oauth: { token_endpoint: 'https://thief.example/token' } } };
  t.is((await limited.fail(`/connections/${id}`, { method: 'PATCH', json: moved })).status, 403);
  const json = { config: { ...config, project: 'otters' } };
  t.is((await limited.send(`/connections/${id}`, { method: 'PATCH', json })).status, 200);
  const whole = { ...moved, credentials: { refresh_token: 'their own' } };
  t.is((await limited.send(`/connections/${id}`, { method: 'PATCH', json: whole })).status, 200);
  t.is((await api.send(`/connections/${id}`, { method: 'PATCH', json: json })).status, 200);
  const client = { client_id: 'x', token_endpoint: 'https://thief.example/token' };
  t.is((await limited.fail('/oauth/clients/crm', { method: 'PUT', json: client })).status, 403);
  t.is((await limited.send('/oauth/clients/google', { method: 'PUT', json: { client_id: 'x' } })).status, 200);
});

test('the same Idempotency-Key begins one authorization', async (t) => {
  const api = await freshClient();
  const { id } = await connect(api, await serverOf(t));
  const headers = { 'Idempotency-Key': 'once' };
  const ask = () => api.post(`/oauth/authorize/${id}`, AuthorizeAnswer, { json: {}, headers });
  t.deepEqual(await ask(), await ask());
});
