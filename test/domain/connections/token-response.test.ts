import test from 'ava';
import * as fc from 'fast-check';
import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';
import { parseTokenResponse, type TokenResponse, type TokenOutcome } from '#domain/connections/token-response.ts';
import { OAUTH_PROVIDERS } from '#providers/oauth/index.ts';

const standard: OAuthProvider = { ...STANDARD_PROVIDER, name: 'any', title: 'Any' };

function named(name: string): OAuthProvider {
  const found = OAUTH_PROVIDERS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

function read(body: unknown, answer: Partial<TokenResponse> = {}, provider = standard): TokenOutcome {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const whole = { status: 200, contentType: 'application/json', retryAfterS: null, body: text, ...answer };
  return parseTokenResponse(whole, provider);
}

/** The outcome as text: `refused expired invalid_grant`, `unavailable http_503`, `tokens`. */
function verdict(outcome: TokenOutcome): string {
  if (outcome.kind === 'tokens') return 'tokens';
  return outcome.kind === 'refused' ? `${outcome.status} ${outcome.code}` : `retry ${outcome.code}`;
}

const lifeOf = (expires_in: unknown, provider = standard) => {
  const outcome = read({ access_token: 'at', expires_in }, {}, provider);
  return outcome.kind === 'tokens' ? [outcome.tokens.lifetime_s, outcome.tokens.is_assumed] : outcome;
};

test('parses a lifetime from a number or text; assumes an hour when it is missing or implausible', (t) => {
  for (const [sent, life] of [
    [7200, 7200],
    ['7200', 7200],
    [' 3600 ', 3600],
    [3599.9, 3599],
    ['3600.0', 3600],
    [1, 1],
    [31_536_000, 31_536_000],
  ] as const)
    t.deepEqual(lifeOf(sent), [life, false], JSON.stringify(sent));
  for (const sent of [undefined, null, '', 'soon', 0, -1, '-3600', 1e12, '1e99', Infinity, true, [], {}, '0x10']) {
    t.deepEqual(lifeOf(sent), [3600, true], JSON.stringify(sent));
  }
  t.deepEqual(lifeOf(undefined, named('notion')), [null, false], 'its tokens do not expire');
  t.deepEqual(lifeOf(28_800, named('github')), [28_800, false]);
});

test('returns null for fields that the response does not contain', (t) => {
  const outcome = read({ access_token: 'at', refresh_token: '', scope: null });
  t.like(outcome, { kind: 'tokens', tokens: { refresh_token: null, scope: null, token_type: null } });
  t.like(read({ access_token: 'at', scope: ['a', 'b'] }), { tokens: { scope: 'a b' } });
});

test('reads whose tokens they are from an identity token, and from nothing that is none', (t) => {
  const subjectOf = (id_token: unknown) => {
    const outcome = read({ access_token: 'at', id_token });
    return outcome.kind === 'tokens' ? outcome.tokens.subject : outcome;
  };
  const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;
  for (const iss of ['https://a.example', 'a.example'])
    t.is(subjectOf(token({ iss, sub: 'ada', aud: 'x' })), 'a.example ada');
  const broken = [
    { sub: 'ada' },
    { iss: 'https://a.example' },
    { iss: 1, sub: 2 },
    { iss: 'a', sub: '' },
    [],
    null,
    'x',
  ];
  for (const claims of [...broken, { iss: 'a', sub: 'x'.repeat(2_000) }]) t.is(subjectOf(token(claims)), null);
  for (const other of [undefined, null, 7, '', 'a', 'a.b.c', '..', {}]) t.is(subjectOf(other), null);
});

test('classifies an error by its code, whatever the HTTP status', (t) => {
  for (const status of [200, 400, 401, 403, 500]) {
    t.is(verdict(read({ error: 'invalid_grant' }, { status })), 'expired invalid_grant', `${status}`);
    t.is(verdict(read({ error: 'invalid_client' }, { status })), 'error invalid_client', `${status}`);
    t.is(verdict(read({ error: 'temporarily_unavailable' }, { status })), 'retry temporarily_unavailable', `${status}`);
  }
  t.is(verdict(read({ access_token: 'at', error: 'invalid_grant' })), 'expired invalid_grant');
  t.is(verdict(read({ error: 'something_new' }, { status: 400 })), 'error something_new');
  t.is(verdict(read({ error: 'something_new' }, { status: 503 })), 'retry something_new');
  t.is(verdict(read({ error: { code: 'invalid_grant' } }, { status: 400 })), 'expired invalid_grant');
});

test('classifies by HTTP status without an error code', (t) => {
  for (const status of [408, 425, 429, 500, 502, 503, 504, 599]) {
    const outcome = read('<html>busy</html>', { status, retryAfterS: 7 });
    t.deepEqual(outcome, { kind: 'unavailable', code: `http_${status}`, retry_after_s: 7, is_unknown: false });
  }
  t.is(verdict(read('', { status: 401 })), 'error http_401', 'so some providers answer an unknown client');
});

test('pages of what stands in front of a provider, and other errors than those of OAuth, do not end a grant', (t) => {
  const html = 'text/html';
  for (const [status, contentType, body] of [
    [301, html, ''],
    [302, html, '<html><a href="https://status.example/maintenance">Found</a></html>'],
    [307, 'text/plain', ''],
    [400, html, '<html><center><h1>400 Bad Request</h1></center><hr><center>nginx</center></html>'],
    [403, html, '<!DOCTYPE html><title>Attention Required!</title>'],
    [403, 'application/json', '{"message":"Forbidden"}'],
    [403, 'application/json', '{"error":"blocked_by_policy"}'],
    [404, 'text/plain', 'default backend - 404'],
    [404, 'application/json', '{"timestamp":"2026-11-28T12:00:00Z","status":404,"error":"Not Found","path":"/token"}'],
    [405, html, ''],
    [418, 'text/plain', "I'm a teapot"],
  ] as const) {
    const outcome = read(body, { status, contentType, retryAfterS: 9 });
    t.like(outcome, { kind: 'unavailable', retry_after_s: 9, is_unknown: false }, `${status} ${body}`);
  }
});

test('a rate limit is temporary, whatever the HTTP status', (t) => {
  for (const error of ['rate_limit_exceeded', 'rate_limited', 'too_many_requests', 'slow_down'])
    for (const status of [200, 400, 403, 429]) t.is(verdict(read({ error }, { status })), `retry ${error}`);
});

test('treats an unreadable success as an unknown outcome', (t) => {
  for (const body of ['', '<html>Welcome</html>', '{"access_token":', '[]', '{}', '{"access_token":7}', 'null']) {
    t.like(read(body), { kind: 'unavailable', code: 'unreadable_answer', is_unknown: true }, body);
  }
});

test('parses forms as well as JSON', (t) => {
  const contentType = 'application/x-www-form-urlencoded; charset=utf-8';
  const outcome = read('access_token=a%2Bt&expires_in=28800&scope=', { contentType });
  t.like(outcome, { kind: 'tokens', tokens: { access_token: 'a+t', lifetime_s: 28_800, scope: null } });
  t.is(verdict(read('error=bad_refresh_token', { contentType }, named('github'))), 'expired bad_refresh_token');
  t.is(verdict(read('access_token=at', { contentType: 'text/plain' })), 'tokens');
});

test('handles the deviations of each provider', (t) => {
  const of = (name: string, body: unknown, status = 200) => verdict(read(body, { status }, named(name)));
  t.is(of('slack', { ok: false, error: 'invalid_refresh_token' }), 'expired invalid_refresh_token');
  t.is(of('slack', { ok: false, error: 'bad_client_secret' }), 'error bad_client_secret');
  t.is(of('slack', { ok: false, error: 'ratelimited' }), 'retry ratelimited');
  t.is(of('slack', { ok: false }), 'error not_ok');
  t.is(of('slack', { ok: true, authed_user: { access_token: 'xoxp' } }), 'tokens');
  t.is(of('github', { error: 'incorrect_client_credentials' }), 'error incorrect_client_credentials');
  t.is(of('atlassian', { error: 'unauthorized_client' }, 403), 'expired unauthorized_client');
  t.is(of('google', { error: 'unauthorized_client' }, 401), 'error unauthorized_client');
  t.is(of('hubspot', { status: 'BAD_REFRESH_TOKEN', message: 'x' }, 400), 'expired bad_refresh_token');
  t.is(of('microsoft', { error: 'interaction_required' }, 400), 'expired interaction_required');
  const salesforce = read({ access_token: 'at', instance_url: 'https://x', issued_at: '1' }, {}, named('salesforce'));
  t.like(salesforce, { tokens: { extras: { instance_url: 'https://x' }, lifetime_s: 3600, is_assumed: true } });
});

test('classifies temporary errors of Salesforce by code and description, and keeps no description', (t) => {
  const salesforce = named('salesforce');
  const of = (error: string, error_description: unknown, provider = salesforce) =>
    read({ error, error_description }, { status: 400 }, provider);
  const busy = 'token request is already being processed';
  const retry = { kind: 'unavailable', retry_after_s: null, is_unknown: false };
  t.deepEqual(of('invalid_grant', busy), { ...retry, code: 'invalid_grant' } as TokenOutcome);
  t.is(verdict(of('invalid_grant', ' Token Request is already being processed ')), 'retry invalid_grant');
  t.deepEqual(of('unknown_error', 'retry your request'), { ...retry, code: 'unknown_error' } as TokenOutcome);
  for (const other of ['expired access/refresh token', '', undefined, null, 7, [busy]])
    t.is(verdict(of('invalid_grant', other)), 'expired invalid_grant', JSON.stringify(other));
  t.is(verdict(of('inactive_user', busy)), 'expired inactive_user');
  t.is(verdict(of('E 1795', undefined)), 'error unknown_error', 'a code that is not kept');
  t.is(verdict(of('invalid_grant', busy, standard)), 'expired invalid_grant', 'another provider');
});

test('a success is refused only by an error: neither by a zero nor by a status that is no known error', (t) => {
  t.is(verdict(read({ error: 0, access_token: 'at' })), 'tokens');
  t.is(verdict(read({ error: 1, access_token: 'at' })), 'error unknown_error');
  const nested = { status: 'success', data: { access_token: 'at' } };
  t.like(read(nested), { kind: 'unavailable', code: 'unreadable_answer', is_unknown: true });
  t.is(verdict(read({ status: 'ok', authed_user: { access_token: 'xoxp' } }, {}, named('slack'))), 'tokens');
  t.is(verdict(read({ status: 'BAD_REFRESH_TOKEN' })), 'expired bad_refresh_token');
  t.is(verdict(read(nested, { status: 400 })), 'error success', 'an error says so by its HTTP status');
});

test('keeps only codes that cannot be a token or a sentence', (t) => {
  for (const error of ['rt-1234567890', 'You sent abc', 'x'.repeat(100), 42, ['a'], '<b>']) {
    const outcome = read({ error }, { status: 400 });
    t.is(outcome.kind === 'refused' && outcome.code, Array.isArray(error) ? 'unknown_error' : 'unknown_error');
  }
});

test('parses any response without throwing, and returns tokens as texts', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.integer({ min: 100, max: 599 }), (body, status) => {
      for (const provider of [standard, ...OAUTH_PROVIDERS]) {
        const outcome = read(body, { status }, provider);
        if (outcome.kind !== 'tokens') t.regex(outcome.code, /^[a-z][a-z0-9_.:-]{0,47}$/);
        else t.true(outcome.tokens.access_token.length > 0);
      }
    }),
  );
});
