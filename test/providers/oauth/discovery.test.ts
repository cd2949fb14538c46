import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { STANDARD_PROVIDER } from '#domain/connections/oauth-provider.ts';
import { createDiscovery } from '#providers/oauth/discovery.ts';
import { createTokenRequester } from '#providers/oauth/index.ts';
import { createTokenTransport } from '#providers/oauth/token-transport.ts';
import { createEgress } from '#security/egress/egress.ts';

const ADDRESS = '127.99.0.1';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

type Answers = Readonly<Record<string, { status?: number; body: unknown }>>;

/** Starts a provider that answers these paths, and any other one with the 404 of a proxy. `answer` gets its origin. */
async function providerOf(t: ExecutionContext, answer: (origin: string) => Answers) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const { status = 200, body } = answer(`http://${request.headers.host}`)[path] ?? {
      status: 404,
      body: 'no backend',
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { origin: `http://${ADDRESS}:${port}`, asked };
}

const endpointsAt = (origin: string) => ({
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
});
const egress = createEgress({ allow: [ADDRESS] });
const providerWith = (issuer: string) => ({ ...STANDARD_PROVIDER, name: 'id', title: 'Id', issuer });
const discover = (issuer: string) => createDiscovery(createTokenTransport(egress, 'form'))(providerWith(issuer));
const settingsWith = (issuer: string) => ({
  provider: providerWith(issuer),
  client_id: 'loci',
  client_secret: 'x',
  scope: null,
  granted_scope: null,
});

test('only the fields of the metadata that are used are kept, and no long ones', async (t) => {
  const { origin, asked } = await providerOf(t, (issuer) => ({
    [OAUTH]: {
      body: {
        issuer,
        ...endpointsAt(issuer),
        authorization_response_iss_parameter_supported: true,
        scopes_supported: Array.from({ length: 50_000 }, () => []),
        jwks_uri: `${issuer}/keys`,
      },
    },
  }));
  const find = createDiscovery(createTokenTransport(egress, 'form'));
  const kept = { issuer: origin, ...endpointsAt(origin), authorization_response_iss_parameter_supported: true };
  t.deepEqual(await find(providerWith(origin)), kept);
  t.deepEqual(await find(providerWith(origin)), kept, 'from the cache');
  t.deepEqual(asked, [OAUTH]);

  const long = await providerOf(t, (issuer) => ({
    [OAUTH]: { body: { issuer, ...endpointsAt(issuer), token_endpoint: `${issuer}/${'t'.repeat(3_000)}` } },
  }));
  t.false('token_endpoint' in (await discover(long.origin)));
});

for (const [configured, published] of [
  ['', ''],
  ['', '/'],
  ['/', ''],
] as const) {
  test(`an issuer configured as id${configured} and published as id${published} authorizes and refreshes`, async (t) => {
    const { origin } = await providerOf(t, (issuer) => ({
      [OAUTH]: { body: { issuer: `${issuer}${published}`, ...endpointsAt(issuer) } },
      '/token': { body: { access_token: 'at-1', token_type: 'bearer' } },
    }));
    const requester = createTokenRequester(egress, []);
    const settings = settingsWith(`${origin}${configured}`);
    const exchange = (iss: string) =>
      requester.exchangeCode(settings, {
        redirect_uri: 'https://loci.example/callback',
        callback: new URLSearchParams({ state: 's', code: 'c', iss }),
        code_verifier: 'v'.repeat(50),
      });
    t.like(await exchange(`${origin}${published}`), { kind: 'tokens' });
    t.like(await requester.refresh(settings, 'rt-0'), { kind: 'tokens' });
    const error = await t.throwsAsync(exchange('https://other.example'));
    t.true(error.message.includes('https://other.example'), error.message);
    t.true(error.message.includes(`${origin}${published}`), error.message);
  });
}

test('metadata of another issuer are a mistake in the settings, and the message names both', async (t) => {
  const { origin } = await providerOf(t, (issuer) => ({
    [OAUTH]: { body: { issuer: `${issuer}/realms/a/`, ...endpointsAt(issuer) } },
  }));
  const error = await t.throwsAsync(discover(origin), { code: 'conflict' });
  t.true(error?.message.includes(`published at ${origin} name the issuer ${origin}/realms/a/.`), error?.message);
});

test('OpenID metadata are asked for when the other address has a temporary failure', async (t) => {
  const { origin, asked } = await providerOf(t, (issuer) => ({
    [OAUTH]: { status: 503, body: 'busy' },
    [OPENID]: { body: { issuer, ...endpointsAt(issuer) } },
  }));
  t.like(await discover(origin), endpointsAt(origin));
  t.deepEqual(asked, [OAUTH, OPENID]);
});

test('a temporary failure of either address is one of the provider', async (t) => {
  for (const [path, status] of [
    [OAUTH, 503],
    [OPENID, 500],
    [OPENID, 429],
  ] as const) {
    const { origin, asked } = await providerOf(t, () => ({ [path]: { status, body: 'busy' } }));
    await t.throwsAsync(discover(origin), { code: 'download_failed' }, path);
    t.deepEqual(asked, [OAUTH, OPENID]);
  }
});

test('a refresh while the issuer publishes no metadata is retried; an authorization says what to set', async (t) => {
  const { origin } = await providerOf(t, () => ({}));
  const requester = createTokenRequester(egress, []);
  const outcome = await requester.refresh(settingsWith(origin), 'rt-0');
  t.deepEqual(outcome, { kind: 'unavailable', code: 'no_metadata', retry_after_s: null, is_unknown: false });
  const request = { redirect_uri: 'https://loci.example/callback', state: 's' };
  await t.throwsAsync(requester.startAuthorization(settingsWith(origin), request), {
    code: 'conflict',
    message: /Set the endpoints/,
  });
});
