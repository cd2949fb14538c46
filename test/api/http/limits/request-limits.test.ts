import { spawn } from 'node:child_process';
import test from 'ava';
import { ApiKey } from '#domain/records/api-key.ts';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { reservePorts } from '#stack/reserve-ports.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';
import { ADMIN_TOKEN, openLimited } from './open-limited.ts';

const ORIGIN = 'https://app.example.com';

test('a key over its rate limit gets 429 with Retry-After, and other keys are not affected', async (t) => {
  const api = await openLimited(t, { perCaller: 3 });
  const { token } = api;
  const first = await api.send('/collections', { token });
  t.is(first.status, 200);
  t.is(first.headers.get('RateLimit-Policy'), '"requests";q=3;w=60');
  t.regex(first.headers.get('RateLimit') ?? '', /^"requests";r=2;t=([1-9]|[1-5]\d|60)$/);
  const made = await api.send('/api-keys', { method: 'POST', token, json: { permissions: ['chunks:read'] } });
  const other = ApiKey.parse(made.body).secret ?? '';
  t.is((await api.send('/collections', { token: other })).status, 403, 'rejected requests count as well');
  t.is((await api.send('/collections', { token })).status, 200);
  const over = await api.send('/collections', { token });
  t.is(over.status, 429);
  t.like(over.body, { code: 'rate_limited' });
  t.regex(over.headers.get('RateLimit') ?? '', /^"requests";r=0;t=/);
  const waitS = Number(over.headers.get('Retry-After'));
  t.true(waitS >= 1 && waitS <= 60);
  const others = await api.send('/chunks', { token: other });
  t.is(others.status, 200);
  t.regex(others.headers.get('RateLimit') ?? '', /r=1;/);
});

test('the keys of a workspace share a limit, however many there are, and other workspaces are not affected', async (t) => {
  const api = await openLimited(t, { perCaller: 4, perWorkspace: 6 });
  const mint = async () => {
    const sent = { method: 'POST', token: api.token, json: { permissions: ['collections:read'] } };
    return ApiKey.parse((await api.send('/api-keys', sent)).body).secret ?? '';
  };
  const keys = [await mint(), await mint(), await mint()];
  const statuses: number[] = [];
  for (const token of keys) statuses.push((await api.send('/collections', { token })).status);
  t.deepEqual(statuses, [200, 200, 200]);
  const over = await api.send('/collections', { token: keys[0] ?? '' });
  t.is(over.status, 429);
  t.regex(over.headers.get('RateLimit') ?? '', /^"requests";r=2;t=\d+, "workspace";r=0;t=\d+$/);
  t.is(over.headers.get('RateLimit-Policy'), '"requests";q=4;w=60, "workspace";q=6;w=60');
  t.true(Number(over.headers.get('Retry-After')) >= 1);
  const answer = await api.send('/workspaces', { method: 'POST', token: ADMIN_TOKEN, json: { name: 'other' } });
  const { api_key: other } = CreatedWorkspace.parse(answer.body);
  t.is((await api.send('/collections', { token: other.secret ?? '' })).status, 200);
});

test('routes that need no credentials are limited by address, each for itself', async (t) => {
  const api = await openLimited(t, { perCaller: 2 });
  const ask = async (path: string) => (await api.send(path)).status;
  const flood = [await ask('/sign-in'), await ask('/sign-in'), await ask('/sign-in')];
  t.deepEqual(flood, [200, 200, 429]);
  t.is(await ask('/integrations/providers/openai/models'), 200);
  t.is((await fetch(`${api.baseUrl}/.well-known/oauth-protected-resource`)).status, 404, 'there is no issuer');
});

test('CORS allows the configured origins only, and answers preflight requests', async (t) => {
  const api = await openOwnApi(t, { corsOrigins: [ORIGIN, 'http://localhost:5173'] });
  const url = `${api.baseUrl}/api/v1/collections`;
  const preflight = async (origin: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-key',
      },
    });
  const allowed = await preflight(ORIGIN);
  t.is(allowed.status, 204);
  t.is(allowed.headers.get('Access-Control-Allow-Origin'), ORIGIN);
  t.true(allowed.headers.get('Access-Control-Allow-Methods')?.split(',').includes('PATCH'));
  for (const header of ['X-API-Key', 'Authorization', 'X-Workspace-Id', 'Idempotency-Key', 'Prefer']) {
    t.true(allowed.headers.get('Access-Control-Allow-Headers')?.split(',').includes(header), header);
  }
  t.is(allowed.headers.get('Access-Control-Allow-Credentials'), null);
  for (const origin of ['https://elsewhere.example', `${ORIGIN}.elsewhere.example`, 'null']) {
    t.is((await preflight(origin)).headers.get('Access-Control-Allow-Origin'), null, origin);
  }
  const refused = await fetch(url, { headers: { Origin: ORIGIN } });
  t.is(refused.status, 401);
  t.is(refused.headers.get('Access-Control-Allow-Origin'), ORIGIN, 'error responses have CORS headers, too');
  t.regex(refused.headers.get('Access-Control-Expose-Headers') ?? '', /X-Request-Id/);
  t.regex(refused.headers.get('Vary') ?? '', /Origin/);
});

test('without configured origins CORS allows none, with * all', async (t) => {
  const origin = async (baseUrl: string) =>
    (await fetch(`${baseUrl}/api/v1/collections`, { headers: { Origin: ORIGIN } })).headers.get(
      'Access-Control-Allow-Origin',
    );
  t.is(await origin((await openOwnApi(t)).baseUrl), null);
  t.is(await origin((await openOwnApi(t, { corsOrigins: ['*'] })).baseUrl), '*');
});

test('the process reads token, rate limit and CORS settings from its environment', async (t) => {
  const issuer = await openTokenIssuer(t);
  const { environment, workspaceId } = testStack();
  const [port = 0] = await reservePorts();
  const child = spawn(process.execPath, ['api/main.ts'], {
    cwd: PROJECT_DIR,
    stdio: 'ignore',
    env: {
      ...process.env,
      ...environment,
      LOCI_PORT: String(port),
      LOCI_JWT_SECRET: '',
      LOCI_JWT_JWKS_URL: issuer.jwksUrl,
      LOCI_JWT_ISSUER: issuer.issuer,
      LOCI_JWT_AUDIENCE: AUDIENCE,
      LOCI_JWT_WORKSPACES_CLAIM: 'spaces',
      LOCI_RATE_LIMIT_PER_MINUTE: '50',
      LOCI_FAILED_AUTH_PER_MINUTE: '1',
      LOCI_CORS_ORIGINS: ORIGIN,
    },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually('the API listens', async () => (await fetch(`${baseUrl}/livez`)).ok);
  const get = async (token: string) =>
    fetch(`${baseUrl}/api/v1/collections`, { headers: { Authorization: `Bearer ${token}`, Origin: ORIGIN } });
  const good = await get(await issuer.issue({ spaces: workspaceId }));
  t.is(good.status, 200);
  t.is(good.headers.get('RateLimit-Policy'), '"requests";q=50;w=60');
  t.is(good.headers.get('Access-Control-Allow-Origin'), ORIGIN);
  t.deepEqual([(await get('nonsense')).status, (await get('nonsense')).status], [401, 429]);
});
