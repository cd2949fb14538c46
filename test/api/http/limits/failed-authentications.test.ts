import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createRequestLimiter } from '#api/http/request/request-limiter.ts';
import { AppError } from '#domain/app-error.ts';
import { ApiKey } from '#domain/records/api-key.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';
import { ADMIN_TOKEN, NO_LIMITS, openLimited } from './open-limited.ts';

test('neither a flood of wrong codes nor one of other requests locks out the code of a sign-in link', async (t) => {
  const api = await openLimited(t, { perCaller: 2, failuresPerAddress: 2 });
  const { stores } = api.services;
  const [key] = await api.database('api_keys').pluck<string[]>('key');
  const code = await createSignInCode(stores, key ?? '');
  const signIn = async (text: unknown) => (await api.send('/sign-in', { method: 'POST', json: { code: text } })).status;
  const redirect = async () => (await api.send('/oauth/callback?state=unknown&code=x')).status;
  for (let number = 0; number < 3; number += 1) await api.send('/sign-in');
  t.deepEqual([await signIn('wrong'), await redirect(), await redirect(), await signIn('wrong')], [401, 400, 429, 429]);
  t.is(await signIn(''), 422, 'what is no code is no guess');
  t.is(await signIn(code), 201);
});

test('failed authentication beyond the limit of an address answers 429, and valid credentials still pass', async (t) => {
  const api = await openLimited(t, { failuresPerAddress: 2 });
  const bad = async (token: string) => api.send('/collections', { token });
  t.deepEqual([(await bad('nonsense')).status, (await bad('loci_nonsense')).status], [401, 401]);
  const over = await bad('nonsense');
  t.is(over.status, 429);
  t.true(Number(over.headers.get('Retry-After')) >= 1);
  t.is((await api.send('/workspaces', { token: `${ADMIN_TOKEN}x` })).status, 429);
  const good = await api.send('/collections', { token: api.token });
  t.is(good.status, 200);
  t.is(good.headers.get('RateLimit'), null, 'no RateLimit header without a limit');
});

test('what nobody guessed is no failed authentication, so that clients see that they have to sign in', async (t) => {
  const issuer = await openTokenIssuer(t);
  const { jwksUrl } = issuer;
  const verifier = createBearerTokenVerifier({ keys: { jwksUrl }, issuer: issuer.issuer, audience: AUDIENCE });
  const api = await openOwnApi(t, {
    access: { users: { verifier, workspacesClaim: 'workspaces' }, administratorToken: null },
    mcp: { hosts: [], publicUrl: null, issuer: issuer.issuer },
    requestLimits: { ...NO_LIMITS, failuresPerAddress: 2 },
  });
  const ids = [
    await api.services.stores.system.insertWorkspace('one'),
    await api.services.stores.system.insertWorkspace('two'),
  ];
  const status = async (token?: string) =>
    (await api.send('/collections', token === undefined ? {} : { token })).status;
  const expired = await issuer.issue({ workspaces: ids, exp: Math.floor(Date.now() / 1000) - 60 });
  const ofSeveral = await issuer.issue({ workspaces: ids });
  for (let number = 0; number < 3; number += 1)
    t.deepEqual([await status(), await status(expired), await status(ofSeveral)], [401, 401, 422]);
  t.deepEqual([await status('nonsense'), await status('loci_nonsense'), await status('nonsense')], [401, 401, 429]);
  t.deepEqual([await status(), await status(expired), await status(ofSeveral)], [401, 401, 422]);
  const mcp = await fetch(`${api.baseUrl}/mcp`, { method: 'POST' });
  t.is(mcp.status, 401);
  t.regex(mcp.headers.get('WWW-Authenticate') ?? '', /resource_metadata="http/);
  const forged = `${expired.slice(0, -8)}AAAAAAAA`;
  t.is(await status(forged), 429, 'an expired token that somebody else signed');
});

test('unknown workspaces and disallowed addresses count as failed authentication', async (t) => {
  const api = await openLimited(t, { failuresPerAddress: 3 });
  const { token } = api;
  const json = { permissions: ['*'], ip_whitelist: ['203.0.113.7'] };
  const elsewhere = ApiKey.parse((await api.send('/api-keys', { method: 'POST', token, json })).body).secret ?? '';
  const asked = [
    await api.send('/collections', { token, workspaceId: randomUUID() }),
    await api.send(`/workspaces/${randomUUID()}`, { token }),
    await api.send('/collections', { token: elsewhere }),
    await api.send('/collections', { token, workspaceId: randomUUID() }),
    await api.send('/collections', { token: elsewhere }),
    await api.send('/collections', { token, workspaceId: 'nonsense' }),
  ];
  t.deepEqual(
    asked.map(({ status }) => status),
    [404, 404, 403, 429, 429, 429],
  );
  t.is((await api.send('/collections', { token })).status, 200);
  t.is(
    (await api.send(`/collections/${randomUUID()}`, { token })).status,
    404,
    'an unknown resource in the own workspace does not count as a failure',
  );
});

test('failures are counted per IPv6 /64 network and per IPv4 address', async (t) => {
  const limiter = createRequestLimiter({ ...NO_LIMITS, failuresPerAddress: 1 });
  const fail = async (address: string) => {
    const refuse = () => Promise.reject(new AppError('unauthorized', 'no'));
    return (await t.throwsAsync(limiter.countFailure(address, refuse), { instanceOf: AppError })).code;
  };
  t.deepEqual(
    [await fail('2001:db8:0:1::1'), await fail('2001:db8:0:1:ffff::2'), await fail('2001:db8:0:2::1')],
    ['unauthorized', 'rate_limited', 'unauthorized'],
  );
  t.deepEqual(
    [await fail('192.0.2.1'), await fail('192.0.2.2'), await fail('::ffff:192.0.2.3'), await fail('192.0.2.2')],
    ['unauthorized', 'unauthorized', 'unauthorized', 'rate_limited'],
  );
});
