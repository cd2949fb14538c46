import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

const CLIENT = { client_id: 'loci', client_secret: 'a-secret-of-the-test-client' };
const SCOPE = 'openid offline_access';
const ACCOUNT = 'ada';

/** A real OpenID provider that rotates refresh tokens, and revokes the whole grant when an old token is used again. */
export type OidcPeer = {
  issuer: string;
  client: typeof CLIENT;
  scope: string;
  /** Creates a grant, as if a user had given it before. Returns its first refresh token. */
  grant(): Promise<string>;
  tokenRequests(): number;
  revokedGrants(): number;
  close(): Promise<void>;
};

/** Starts the provider at the address that the stack may reach. Users consent automatically and return to `redirectUri`. */
export async function startOidcPeer(redirectUri = 'https://app.example.com/callback'): Promise<OidcPeer> {
  const counts = { tokenRequests: 0, revokedGrants: 0 };
  const serving: { handle: (request: IncomingMessage, response: ServerResponse) => unknown } = { handle: () => {} };
  const server = createServer((request, response) => {
    if (request.method === 'POST' && request.url === '/token') counts.tokenRequests += 1;
    void serving.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const issuer = `http://${DOWNLOAD_ADDRESS}:${port}`;
  const provider = makeProvider(issuer, redirectUri);
  provider.on('grant.revoked', () => void (counts.revokedGrants += 1));
  const callback = provider.callback();
  serving.handle = (request, response) =>
    request.url?.startsWith('/interaction/') === true
      ? agree(provider, request, response)
      : callback(request, response);
  return {
    issuer,
    client: CLIENT,
    scope: SCOPE,
    grant: () => makeGrant(provider),
    tokenRequests: () => counts.tokenRequests,
    revokedGrants: () => counts.revokedGrants,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function makeProvider(issuer: string, redirectUri: string): Provider {
  return new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [redirectUri],
        application_type: 'native',
      },
    ],
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    ttl: { AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400, Session: 3600, Interaction: 600, IdToken: 600 },
  });
}

async function makeGrant(provider: Provider): Promise<string> {
  const client = await provider.Client.find(CLIENT.client_id);
  if (!client) throw new Error('the provider does not know its client');
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId: CLIENT.client_id });
  grant.addOIDCScope(SCOPE);
  const grantId = await grant.save();
  const token = new provider.RefreshToken({
    accountId: ACCOUNT,
    client,
    grantId,
    scope: SCOPE,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1000),
  });
  return token.save();
}

/** Logs the user in and gives consent. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } });
    return;
  }
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId: CLIENT.client_id });
  grant.addOIDCScope(SCOPE);
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}
