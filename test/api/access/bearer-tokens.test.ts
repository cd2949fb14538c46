import { createPublicKey, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { SignJWT, UnsecuredJWT, generateKeyPair } from 'jose';
import type { AppOptions } from '#api/app.ts';
import { createBearerTokenVerifier, type BearerTokenSettings } from '#security/bearer-tokens.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { AUDIENCE, openTokenIssuer, type TokenIssuer } from '#test/support/servers/token-issuer.ts';

const SECRET = 'a secret that both sides know, and nobody else';

function accessBy(keys: BearerTokenSettings['keys'], issuer: string): Pick<AppOptions, 'access'> {
  const verifier = createBearerTokenVerifier({ keys, issuer, audience: AUDIENCE, jwksCooldownS: 0 });
  return { access: { users: { verifier, workspacesClaim: 'workspaces' }, administratorToken: null } };
}

/** An API that accepts the tokens of an issuer, and a workspace that `ada` belongs to. */
async function openWithIssuer(t: ExecutionContext) {
  const issuer = await openTokenIssuer(t);
  const api = await openOwnApi(t, accessBy({ jwksUrl: issuer.jwksUrl }, issuer.issuer));
  const workspaceId = await api.services.stores.system.insertWorkspace('of ada');
  const status = async (token: string) => (await api.send('/collections', { token })).status;
  const issue = (claims = {}, options = {}) => issuer.issue({ workspaces: [workspaceId], ...claims }, options);
  return { api, issuer, workspaceId, status, issue };
}

const nowS = () => Math.floor(Date.now() / 1000);

/** Sets all claims of a valid token; the caller signs it. */
function unsigned<Builder extends SignJWT | UnsecuredJWT>(builder: Builder, issuer: TokenIssuer): Builder {
  builder.setIssuer(issuer.issuer).setAudience(AUDIENCE).setSubject('ada').setIssuedAt().setExpirationTime('1h');
  return builder;
}

test('a token of the configured issuer authenticates its user in the claimed workspace', async (t) => {
  const { api, workspaceId, issue } = await openWithIssuer(t);
  const created = await api.send('/collections', { method: 'POST', token: await issue(), json: { name: 'mine' } });
  t.is(created.status, 201);
  t.like(created.body, { workspace_id: workspaceId, created_by: 'user/ada' });
});

test('issuer, audience, subject and validity period of a token are verified', async (t) => {
  const { status, issue } = await openWithIssuer(t);
  t.is(await status(await issue()), 200);
  const wrong = {
    'another issuer': { iss: 'https://elsewhere.example' },
    'no issuer': { iss: undefined },
    'another audience': { aud: 'another-service' },
    'no audience': { aud: undefined },
    'several audiences, not ours': { aud: ['one', 'two'] },
    expired: { exp: nowS() - 60 },
    'no expiry': { exp: undefined },
    'an expiry that is no number': { exp: 'never' },
    'not valid yet': { nbf: nowS() + 600 },
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
    'a subject that cannot be stored': { sub: 'a\0b' },
    'a subject of 256 characters': { sub: 'x'.repeat(256) },
  };
  for (const [what, claims] of Object.entries(wrong)) t.is(await status(await issue(claims)), 401, what);
  t.is(await status(await issue({ aud: ['one', AUDIENCE], nbf: nowS() - 1, sub: 'x'.repeat(255) })), 200);
});

test('only the pinned algorithms are accepted: no alg none, no public key as HMAC secret, no foreign key', async (t) => {
  const { issuer, status, workspaceId } = await openWithIssuer(t);
  const [jwk] = issuer.server.issuer.keys.toJSON();
  const kid = String(jwk?.kid);
  const claims = { workspaces: [workspaceId] };
  const publicPem = createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const stranger = await generateKeyPair('RS256');
  const sign = (alg: string, key: Parameters<SignJWT['sign']>[0], header = {}) =>
    unsigned(new SignJWT(claims), issuer)
      .setProtectedHeader({ alg, kid, ...header })
      .sign(key);
  t.is(await status(unsigned(new UnsecuredJWT(claims), issuer).encode()), 401, 'none');
  t.is(await status(await sign('HS256', Buffer.from(String(publicPem)))), 401, 'the public key as secret');
  t.is(await status(await sign('HS256', Buffer.from(JSON.stringify(jwk)))), 401, 'the public key as secret');
  t.is(await status(await sign('RS256', stranger.privateKey)), 401, 'another key under a known name');
  const header = { jwk, jku: issuer.jwksUrl, crit: undefined };
  t.is(await status(await sign('RS256', stranger.privateKey, header)), 401, 'a key that the token brings along');
});

test('altered, truncated and malformed tokens answer 401', async (t) => {
  const { status, issue, workspaceId } = await openWithIssuer(t);
  const [header = '', payload = '', signature = ''] = (await issue()).split('.');
  const other = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), workspaces: { [workspaceId]: 'admin' } };
  const forged = Buffer.from(JSON.stringify(other)).toString('base64url');
  for (const token of [
    `${header}.${forged}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${payload}.${signature.slice(0, -2)}`,
    'eyJ.e30.',
    'nonsense',
    '..',
  ]) {
    t.is(await status(token), 401, token);
  }
});

test('a new signing key of the issuer is accepted immediately, and an unknown one answers 401', async (t) => {
  const { api, issuer, issue, status, workspaceId } = await openWithIssuer(t);
  const before = await issue();
  t.is(await status(before), 200);
  const fresh = await issuer.server.issuer.keys.generate('ES256');
  t.is(await status(await issue({}, { kid: fresh.kid })), 200);
  const strange = await unsigned(new SignJWT({ workspaces: [workspaceId] }), issuer)
    .setProtectedHeader({ alg: 'RS256', kid: randomUUID() })
    .sign((await generateKeyPair('RS256')).privateKey);
  const unknown = await api.send('/collections', { token: strange });
  t.is(unknown.status, 401);
  t.like(unknown.body, { code: 'unauthorized' });
  t.regex(unknown.headers.get('WWW-Authenticate') ?? '', /^Bearer /);
});

test('answers 503, not 401, while the signing keys cannot be fetched', async (t) => {
  const { api, issuer, issue, status } = await openWithIssuer(t);
  const token = await issue();
  await issuer.server.stop();
  const away = await api.send('/collections', { token });
  t.is(away.status, 503);
  t.like(away.body, { code: 'dependency_unavailable' });
  t.truthy(away.headers.get('Retry-After'));
  t.is(await status('nonsense'), 401, 'a malformed token is rejected without the signing keys');
});

test('a shared secret verifies HMAC tokens only', async (t) => {
  const issuer = await openTokenIssuer(t);
  const api = await openOwnApi(t, accessBy({ secret: SECRET }, issuer.issuer));
  const workspaceId = await api.services.stores.system.insertWorkspace('of ada');
  const sign = (secret: string) =>
    unsigned(new SignJWT({ workspaces: [workspaceId] }), issuer)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(secret));
  const status = async (token: string) => (await api.send('/collections', { token })).status;
  t.is(await status(await sign(SECRET)), 200);
  t.is(await status(await sign(`${SECRET}!`)), 401);
  t.is(await status(await issuer.issue({ workspaces: [workspaceId] })), 401);
  t.is(await status(unsigned(new UnsecuredJWT({ workspaces: [workspaceId] }), issuer).encode()), 401);
});

test('a token is accepted only as a Bearer token, and only if tokens are configured', async (t) => {
  const { api, issue } = await openWithIssuer(t);
  const token = await issue();
  t.is((await api.send('/collections', { headers: { 'X-API-Key': token } })).status, 401);
  const keysOnly = await openOwnApi(t);
  t.is((await keysOnly.send('/collections', { token })).status, 401);
});
