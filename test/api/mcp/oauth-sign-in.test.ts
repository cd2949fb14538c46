import test from 'ava';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { openAuthorizationServer } from './authorization-server.ts';
import { mcpCalls } from './mcp-client.ts';

const REDIRECT_URI = 'http://127.0.0.1:9/callback';

test('the official client finds the issuer, registers, signs a user in there, calls tools, and renews the token', async (t) => {
  const workspaces: string[] = [];
  const authorization = await openAuthorizationServer(t, {
    claims: () => ({ workspaces: Object.fromEntries(workspaces.map((id) => [id, 'admin'])) }),
    accessTokenS: 3600,
  });
  const { issuer, jwksUrl } = authorization;
  // The API takes the host of a request for its own: its tokens are for /mcp there.
  const audience: string[] = [];
  const verifierOf = () =>
    createBearerTokenVerifier({ keys: { jwksUrl }, issuer, audience: audience[0] ?? 'not known yet' });
  const api = await openOwnApi(t, {
    access: {
      users: { verifier: { verify: async (token) => verifierOf().verify(token) }, workspacesClaim: 'workspaces' },
      administratorToken: null,
    },
    mcp: { hosts: [], publicUrl: null, issuer, scopes: ['openid', 'offline_access'] },
  });
  audience.push(`${api.baseUrl}/mcp`);
  workspaces.push(await api.services.stores.system.insertWorkspace('Harbour'));

  const user = userOf();
  const transport = new StreamableHTTPClientTransport(new URL(`${api.baseUrl}/mcp`), { authProvider: user.provider });
  await t.throwsAsync(new Client({ name: 'desktop', version: '1' }).connect(transport), {
    instanceOf: UnauthorizedError,
  });
  const asked = user.redirected();
  t.is(asked.origin, issuer);
  t.is(asked.searchParams.get('resource'), `${api.baseUrl}/mcp`);
  t.is(asked.searchParams.get('code_challenge_method'), 'S256');
  t.is(asked.searchParams.get('scope'), 'openid offline_access');
  await transport.finishAuth(await returnedFrom(asked));

  const client = new Client({ name: 'desktop', version: '1' });
  t.teardown(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${api.baseUrl}/mcp`), { authProvider: user.provider }),
  );
  const mcp = mcpCalls(client);
  t.true((await mcp.names()).includes('list_collections'));
  const listed = await mcp.call('list_collections', z.looseObject({ collections: z.array(z.unknown()) }));
  t.deepEqual(listed.collections, []);
  t.is(authorization.registered(), 1);
  t.deepEqual(authorization.grants(), ['authorization_code']);

  // What the API refuses is renewed by the client with its refresh token.
  user.spoilAccessToken();
  await mcp.call('list_collections', z.looseObject({}));
  t.deepEqual(authorization.grants(), ['authorization_code', 'refresh_token']);
});

type Kept = {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  verifier?: string;
  discovered?: OAuthDiscoveryState;
  url?: URL;
};

/** Somebody at a program that keeps tokens in memory, and follows where it is sent. */
function userOf() {
  const kept: Kept = {};
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URI,
    clientMetadata: {
      client_name: 'A desktop program',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (discovered) => void (kept.discovered = discovered),
    discoveryState: () => kept.discovered,
  };
  return {
    provider,
    redirected: () => kept.url ?? new URL('about:blank'),
    spoilAccessToken: () => {
      if (kept.tokens !== undefined) kept.tokens = { ...kept.tokens, access_token: 'expired' };
    },
  };
}

/** Follows redirects as a browser does, with its cookies, and returns what comes back to the program. */
async function returnedFrom(start: URL): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let url = start;
  while (!url.href.startsWith(REDIRECT_URI)) {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { headers: { Cookie }, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('Location');
    if (location === null) throw new Error(`${url.href} answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url.searchParams;
}
