import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { ApiKey, ApiKeyList } from '#domain/records/api-key.ts';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { SignedIn } from '#domain/records/access/sign-in.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { userHeaders } from '#test/support/fixtures/user-token.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { openOwnApi, type OwnApi } from '#test/support/harness/own-api.ts';

const HOUR_MS = 3_600_000;

/** An API with one key, for which codes can be made. */
async function openWithKey(t: ExecutionContext, options: Parameters<typeof openOwnApi>[1] = {}) {
  const api = await openOwnApi(t, options);
  const { stores, secrets } = api.services;
  const { id: key, secret: token } = generateApiKey();
  const workspaceId = await stores.system.insertWorkspace('one');
  const permissions = ['contents:read', 'api-keys:read'];
  const hashedSecret = hashApiKey(token, secrets.apiKeyPepper);
  await stores.system.insertApiKey({ workspaceId, key, hashedSecret, label: 'first key', permissions, createdBy: 'x' });
  const codeOf = async () => (await createSignInCode(stores, key)) ?? t.fail('the key cannot be used');
  return { api, key, token, workspaceId, permissions, codeOf };
}

const signIn = (api: OwnApi, code: unknown) => api.send('/sign-in', { method: 'POST', json: { code } });
const labelsOf = async (api: OwnApi, token: string) =>
  ApiKeyList.parse((await api.send('/api-keys', { token })).body).data.map(({ label, created_by: by }) => [label, by]);

test('a code signs in once, with what its key may do, for twelve hours', async (t) => {
  const { api, key, token, workspaceId, permissions, codeOf } = await openWithKey(t);
  const code = await codeOf();
  const both = await Promise.all([signIn(api, code), signIn(api, code)]);
  t.deepEqual(new Set(both.map(({ status }) => status)), new Set([201, 401]), 'of two at once, one gets a key');
  const signedIn = SignedIn.parse(both.find(({ status }) => status === 201)?.body);
  t.is(signedIn.workspace_id, workspaceId);
  const leftMs = new Date(signedIn.expires_at).getTime() - Date.now();
  t.true(Math.abs(leftMs - 12 * HOUR_MS) < HOUR_MS / 10, signedIn.expires_at);
  const me = CurrentCaller.parse((await api.send('/me', { token: signedIn.api_key })).body);
  t.deepEqual([me.permissions.toSorted(), me.workspace_id], [permissions.toSorted(), workspaceId]);
  t.like(me.api_key, { label: 'console', expires_at: signedIn.expires_at });
  const listed = await labelsOf(api, token);
  t.deepEqual(listed, [
    ['first key', 'x'],
    ['console', `api-key/${key}`],
  ]);

  await api.database.raw(`update api_keys set expires_at = now() where label = 'console'`);
  t.is((await api.send('/me', { token: signedIn.api_key })).status, 401, 'it expires');
  await codeOf();
  t.is((await labelsOf(api, token)).length, 1, 'expired keys of the console do not pile up');
});

test('unknown, used and expired codes, and those of a revoked key, get the same 401, which says what to do', async (t) => {
  const { api, token, codeOf } = await openWithKey(t);
  const [used, expired, orphaned] = [await codeOf(), await codeOf(), await codeOf()];
  t.is((await signIn(api, used)).status, 201);
  const limits = `update sign_in_codes set expires_at = now() where code_hash = encode(sha256(?::text::bytea), 'hex')`;
  await api.database.raw(limits, [expired]);
  const wrong = [await signIn(api, 'unknown'), await signIn(api, used), await signIn(api, expired)];
  await api.database.raw(`update api_keys set status = 'revoked'`);
  wrong.push(await signIn(api, orphaned));
  t.is((await api.send('/me', { token })).status, 401);
  const [first = 'none', ...others] = wrong.map(({ status, body }) => {
    return JSON.stringify({ status, ...(body as object), request_id: '' }); // an error body, which is an object
  });
  t.deepEqual(new Set(others), new Set([first]));
  t.regex(first, /"status":401,"code":"unauthorized".*Restart Loci for a new one, or sign in with an API key/);
  const left = await api.database.raw<{ rows: { count: string }[] }>('select count(*) from sign_in_codes');
  t.is(Number(left.rows[0]?.count), 0);
  t.is((await signIn(api, '')).status, 422);
});

test('signing out revokes the key that a code was redeemed for, once, and no other key or token', async (t) => {
  const { api, token, codeOf } = await openWithKey(t);
  const [one, other] = [await signIn(api, await codeOf()), await signIn(api, await codeOf())].map(
    ({ body }) => SignedIn.parse(body).api_key,
  );
  const signOut = (key: string | undefined) =>
    api.send('/sign-in', { method: 'DELETE', ...(key === undefined ? {} : { token: key }) });
  t.like(await signOut(token), { status: 200, body: { revoked: false } });
  t.like(await signOut(one), { status: 200, body: { revoked: true } });
  t.deepEqual([(await signOut(one)).status, (await signOut(undefined)).status], [401, 401]);
  const accepted = await Promise.all([token, one, other].map(async (key = '') => api.send('/me', { token: key })));
  t.deepEqual(
    accepted.map(({ status }) => status),
    [200, 401, 200],
  );
  const user = apiClient(await userHeaders(`ada-${randomUUID()}`, 'member', (await createKey()).workspaceId));
  const answer = await user.send('/sign-in', { method: 'DELETE' });
  t.deepEqual([answer.status, await answer.json()], [200, { revoked: false }]);
});

test('a key limited to collections, addresses and time signs in with the same limits', async (t) => {
  const { api, codeOf } = await openWithKey(t);
  const collections = ['0198c0de-0000-7000-8000-000000000001'];
  await api.database.raw(
    `update api_keys set collections = ?::uuid[], ip_whitelist = '{127.0.0.1}', expires_at = now() + interval '5 minutes'`,
    [collections],
  );
  const { api_key: secret } = SignedIn.parse((await signIn(api, await codeOf())).body);
  t.is((await api.send('/me', { token: secret })).status, 200);
  const rows = await api.database.raw<{ rows: unknown[] }>(
    'select distinct collections, ip_whitelist, expires_at, permissions, workspace_id from api_keys',
  );
  t.is(rows.rows.length, 1);
});

test('the key of a sign-in gives others as long a life as the key of its code may give, as long as that one may', async (t) => {
  const { api, key, codeOf } = await openWithKey(t);
  const first = (set: string) => api.database.raw(`update api_keys set ${set} where key = ?`, [key]);
  await first(`permissions = '{*}'`);
  const { api_key: token, expires_at: ownExpiry } = SignedIn.parse((await signIn(api, await codeOf())).body);
  const create = async (expiresAt?: string | null, permissions = ['contents:read']) =>
    api.send('/api-keys', { method: 'POST', token, json: { permissions, expires_at: expiresAt } });
  const inDays = (days: number) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString();
  const maxOf = async () => CurrentCaller.parse((await api.send('/me', { token })).body).api_key?.max_key_expires_at;
  t.is(await maxOf(), null);
  t.deepEqual([(await create(null)).status, (await create(inDays(90))).status], [201, 201]);
  t.like(await create(), { status: 201, body: { expires_at: ownExpiry } });
  const { data } = ApiKeyList.parse((await api.send('/api-keys', { token })).body);
  const rotated = data.find((each) => each.expires_at === null && each.key !== key)?.id ?? '';
  t.is((await api.send(`/api-keys/${rotated}/rotate`, { method: 'POST', token })).status, 200);

  await first(`expires_at = now() + interval '30 days'`);
  t.deepEqual(
    [(await create(null)).status, (await create(inDays(90))).status, (await create(inDays(7))).status],
    [403, 403, 201],
  );
  t.true(((await maxOf()) ?? '') > inDays(29));
  t.is((await api.send(`/api-keys/${rotated}/rotate`, { method: 'POST', token })).status, 403);
  await first(`permissions = '{contents:read}'`);
  t.deepEqual([(await create(inDays(7), ['*'])).status, (await create(inDays(7))).status], [403, 201]);
  t.is((await create(ownExpiry, ['*'])).status, 201, 'until it expires, the sign-in has what it had');
  await first(`status = 'revoked'`);
  t.deepEqual([(await create(inDays(7))).status, (await create(ownExpiry)).status], [403, 201]);
  t.is(await maxOf(), ownExpiry);
});

test('the key of a sign-in changes how long other keys are valid, and is never valid longer itself', async (t) => {
  const { api, key, codeOf } = await openWithKey(t);
  await api.database.raw(`update api_keys set permissions = '{*}' where key = ?`, [key]);
  const { api_key: token, expires_at: ownExpiry } = SignedIn.parse((await signIn(api, await codeOf())).body);
  const { data } = ApiKeyList.parse((await api.send('/api-keys', { token })).body);
  const own = data.find(({ expires_at: expiry }) => expiry === ownExpiry)?.id ?? '';
  const json = { permissions: ['contents:read'] };
  const { id: other } = ApiKey.parse((await api.send('/api-keys', { method: 'POST', token, json })).body);
  const change = async (id: string, body: object) =>
    (await api.send(`/api-keys/${id}`, { method: 'PATCH', token, json: body })).status;
  const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString();
  t.deepEqual([await change(own, { expires_at: null }), await change(own, { expires_at: tomorrow })], [403, 403]);
  t.deepEqual([await change(other, { expires_at: null }), await change(other, { expires_at: tomorrow })], [200, 200]);
  const inAnHour = new Date(Date.now() + HOUR_MS).toISOString();
  t.deepEqual([await change(own, { label: 'mine' }), await change(own, { expires_at: inAnHour })], [200, 200]);
  t.is(await change(own, { expires_at: ownExpiry }), 403, 'it is not taken back');
});

test('wrong codes count as failed authentication, and valid ones pass', async (t) => {
  const requestLimits = { perCaller: 4, perWorkspace: 0, failuresPerAddress: 2 };
  const { api, codeOf } = await openWithKey(t, { requestLimits });
  const statuses: number[] = [];
  for (const code of ['wrong', 'wrong', 'wrong', await codeOf(), await codeOf()]) {
    statuses.push((await signIn(api, code)).status);
  }
  t.deepEqual(statuses, [401, 401, 429, 201, 201], 'nothing else is limited by address');
});

test('anyone learns how to sign in: with an API key, and with the issuer where a client is configured', async (t) => {
  const plain = await openOwnApi(t);
  t.deepEqual((await plain.send('/sign-in')).body, { api_key: true, oidc: null });
  const settings = {
    LOCI_JWT_JWKS_URL: 'https://login.example/keys',
    LOCI_JWT_ISSUER: 'https://login.example',
    LOCI_JWT_AUDIENCE: 'loci',
    LOCI_CONSOLE_OIDC_CLIENT_ID: 'console',
    LOCI_CONSOLE_OIDC_SCOPES: 'openid,profile',
    LOCI_CONSOLE_OIDC_PARAMETERS: 'audience=loci',
  };
  const api = await openOwnApi(t, { settings });
  const oidc = {
    issuer: 'https://login.example',
    client_id: 'console',
    scopes: ['openid', 'profile'],
    parameters: { audience: 'loci' },
  };
  t.deepEqual((await api.send('/sign-in')).body, { api_key: true, oidc });
});
