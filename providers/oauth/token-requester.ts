import * as oauth from 'oauth4webapi';
import { AppError } from '#domain/app-error.ts';
import type { OAuthProvider, OAuthSettings } from '#domain/connections/oauth-provider.ts';
import { parseTokenResponse, type TokenOutcome } from '#domain/connections/token-response.ts';
import type { AuthorizationRequest, CodeRequest, TokenRequester } from '#domain/connections/token-requester.ts';
import type { Egress } from '#security/egress/egress.ts';
import { createDiscovery, type Discovery } from './discovery.ts';
import { requireSafeEndpoint } from './safe-endpoint.ts';
import { createTokenTransport, toTokenResponse, outcomeWithoutResponse } from './token-transport.ts';

/**
 * Speaks with providers: requests are made by oauth4webapi and sent through egress; answers are read by
 * `readTokenAnswer`, for the library refuses what common providers send.
 */
export function createTokenRequester(egress: Egress, providers: readonly OAuthProvider[]): TokenRequester {
  const discover = createDiscovery(createTokenTransport(egress, 'form'));
  return {
    providers,
    refresh: (settings, refreshToken) => refresh({ egress, discover }, settings, refreshToken),
    startAuthorization: (settings, request) => startAuthorization(discover, settings, request),
    exchangeCode: (settings, request) => exchangeCode({ egress, discover }, settings, request),
  };
}

type RequestContext = { egress: Egress; discover: Discovery };

async function refresh(means: RequestContext, settings: OAuthSettings, refreshToken: string): Promise<TokenOutcome> {
  const { provider, scope, granted_scope: granted } = settings;
  const repeated = provider.sends_scope_on_refresh ? (scope ?? granted) : null;
  return requestTokens(means, settings, async (server, options) =>
    oauth.refreshTokenGrantRequest(server, clientOf(settings), authenticationOf(settings), refreshToken, {
      ...options,
      additionalParameters: repeated === null ? {} : { scope: repeated },
    }),
  );
}

async function startAuthorization(discover: Discovery, settings: OAuthSettings, request: AuthorizationRequest) {
  const { provider, client_id: clientId, scope } = settings;
  const server = await discover(provider);
  const url = requireSafeEndpoint(server.authorization_endpoint ?? null, 'authorization endpoint');
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const parameters = {
    ...provider.authorization_parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: request.redirect_uri,
    state: request.state,
    ...(scope === null ? {} : { scope }),
    ...(provider.pkce
      ? { code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' }
      : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, code_verifier: codeVerifier };
}

async function exchangeCode(
  means: RequestContext,
  settings: OAuthSettings,
  request: CodeRequest,
): Promise<TokenOutcome> {
  const { provider } = settings;
  return requestTokens(means, settings, async (server, options) => {
    const { callback, redirect_uri: redirectUri, code_verifier: verifier } = request;
    return oauth.authorizationCodeGrantRequest(
      server,
      clientOf(settings),
      authenticationOf(settings),
      validateCallback(server, settings, callback),
      redirectUri,
      provider.pkce ? verifier : oauth.nopkce,
      options,
    );
  });
}

/** The state is checked by whoever found the callback by it. @throws AppError `invalid_request`. */
function validateCallback(server: oauth.AuthorizationServer, settings: OAuthSettings, callback: URLSearchParams) {
  // Some name their issuer without publishing one: nothing to compare it with.
  const parameters = new URLSearchParams(callback);
  if (settings.provider.issuer === null) parameters.delete('iss');
  try {
    return oauth.validateAuthResponse(server, clientOf(settings), parameters, oauth.skipStateCheck);
  } catch (error) {
    throw new AppError('invalid_request', 'The provider sent the user back with an answer that is not its own.', {
      cause: error,
    });
  }
}

type Options = oauth.TokenEndpointRequestOptions;

async function requestTokens(
  { egress, discover }: RequestContext,
  settings: OAuthSettings,
  send: (server: oauth.AuthorizationServer, options: Options) => Promise<Response>,
): Promise<TokenOutcome> {
  const { provider } = settings;
  const transport = createTokenTransport(egress, provider.body_format);
  let isUnderWay = false;
  try {
    const server = await discover(provider);
    requireSafeEndpoint(server.token_endpoint ?? null, 'token endpoint');
    isUnderWay = true;
    const response = await send(server, {
      [oauth.customFetch]: transport,
      // The rule for endpoints was just asked.
      [oauth.allowInsecureRequests]: true,
      headers: { ...provider.token_headers },
    });
    return parseTokenResponse(await toTokenResponse(response), provider);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'conflict' || error.code === 'invalid_request')) throw error;
    const outcome = outcomeWithoutResponse(error);
    return outcome.kind === 'unavailable' && !isUnderWay ? { ...outcome, is_unknown: false } : outcome;
  }
}

function clientOf({ client_id: clientId }: OAuthSettings): oauth.Client {
  return { client_id: clientId };
}

function authenticationOf({ provider, client_secret: secret }: OAuthSettings): oauth.ClientAuth {
  if (provider.client_auth === 'none' || secret === null) return oauth.None();
  return provider.client_auth === 'post' ? oauth.ClientSecretPost(secret) : basicAuthentication(secret);
}

/** As the library's, but that `-_.!~*'()` go plain: many servers take the header as it comes. */
function basicAuthentication(secret: string): oauth.ClientAuth {
  return (...[, client, , headers]) => {
    const pair = `${encodeURIComponent(client.client_id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}
