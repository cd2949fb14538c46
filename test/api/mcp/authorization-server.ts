import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { Provider } from 'oidc-provider';

const ACCOUNT = 'ada';

export type AuthorizationServer = {
  issuer: string;
  jwksUrl: string;
  /** Clients that registered themselves. */
  registered(): number;
  /** How often each grant type got tokens. */
  grants(): readonly string[];
};

export type AuthorizationServerOptions = {
  /** Claims of the access tokens, besides those that every token has. */
  claims: () => Record<string, unknown>;
  accessTokenS: number;
};

/**
 * Starts a real OAuth server as the Model Context Protocol expects one: clients register themselves (RFC 7591), ask for tokens of
 * a resource (RFC 8707), and prove with PKCE that a code is theirs. Its tokens are JWTs for that resource. The user agrees at once.
 */
export async function openAuthorizationServer(
  t: ExecutionContext,
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const counts = { registered: 0, grants: [] as string[] };
  const serving: { handle: (request: IncomingMessage, response: ServerResponse) => unknown } = { handle: () => {} };
  const server = createServer((request, response) => void serving.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const issuer = `http://127.0.0.1:${port}`;
  const provider = makeProvider(issuer, options);
  provider.on('registration_create.success', () => void (counts.registered += 1));
  provider.on('grant.success', ({ oidc }) => void counts.grants.push(String(oidc.params?.['grant_type'])));
  const callback = provider.callback();
  serving.handle = (request, response) =>
    request.url?.startsWith('/interaction/') === true
      ? agree(provider, request, response)
      : callback(request, response);
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    registered: () => counts.registered,
    grants: () => counts.grants,
  };
}

function makeProvider(issuer: string, { claims, accessTokenS }: AuthorizationServerOptions): Provider {
  return new Provider(issuer, {
    clients: [],
    cookies: { keys: ['a key of the test'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: claims,
    issueRefreshToken: () => true,
    pkce: { required: () => true },
    ttl: {
      AccessToken: accessTokenS,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 3600,
      Interaction: 600,
      IdToken: 600,
    },
  });
}

/** Logs the user in, and agrees to everything that the client asks for. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } });
    return;
  }
  const grant = new provider.Grant({ accountId: ACCOUNT, clientId: String(params['client_id']) });
  const { scope } = params;
  grant.addOIDCScope(typeof scope === 'string' ? scope : 'openid');
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}
