import * as oauth from 'oauth4webapi';
import { AppError } from '#domain/app-error.ts';
import type { OAuthProvider, OAuthSettings } from '#domain/connections/oauth-provider.ts';
import { parseTokenResponse, type TokenOutcome } from '#domain/connections/token-response.ts';
import type { AuthorizationRequest, CodeRequest, TokenRequester } from '#domain/connections/token-requester.ts';
import type { Egress } from '#security/egress/egress.ts';
import { createDiscovery, MissingMetadata, type Discovery, type ServerMetadata } from './discovery.ts';
import { requireSafeEndpoint } from './safe-endpoint.ts';
import { createTokenTransport, toTokenResponse, outcomeWithoutResponse } from './token-transport.ts';

/**
 * Creates the client of the OAuth endpoints. oauth4webapi builds the requests, egress sends them, and `parseTokenResponse` reads
 * the responses, because the library rejects what common providers send.
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
  const repeatedScope = provider.sends_scope_on_refresh ? (scope ?? granted) : null;
  return requestTokens(means, settings, async (server, options) =>
    oauth.refreshTokenGrantRequest(server, clientOf(settings), authenticationOf(settings), refreshToken, {
      ...options,
      additionalParameters: repeatedScope === null ? {} : { scope: repeatedScope },
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

/** Validates a callback except for its `state`, which the caller has checked. @throws AppError `invalid_request`. */
function validateCallback(server: ServerMetadata, settings: OAuthSettings, callback: URLSearchParams) {
  // Some providers send `iss` although no issuer is configured: there is nothing to compare it with.
  const parameters = new URLSearchParams(callback);
  if (settings.provider.issuer === null) parameters.delete('iss');
  try {
    return oauth.validateAuthResponse(server, clientOf(settings), parameters, oauth.skipStateCheck);
  } catch (error) {
    const issuers = describeIssuers(parameters.get('iss'), server);
    throw new AppError('invalid_request', `The callback is not a valid response of the provider${issuers}.`, {
      cause: error,
    });
  }
}

const MAX_SHOWN_ISSUER = 200;

/** Names both issuers when the callback is not of the one that is expected; otherwise nothing. */
function describeIssuers(iss: string | null, { issuer }: ServerMetadata): string {
  if (iss === null || iss === issuer || iss.length > MAX_SHOWN_ISSUER || !URL.canParse(iss)) return '';
  return `: it comes from the issuer ${iss}, but ${issuer} was expected. Correct \`issuer\`, then start the authorization again`;
}

type Options = oauth.TokenEndpointRequestOptions;

async function requestTokens(
  { egress, discover }: RequestContext,
  settings: OAuthSettings,
  send: (server: ServerMetadata, options: Options) => Promise<Response>,
): Promise<TokenOutcome> {
  const { provider } = settings;
  const transport = createTokenTransport(egress, provider.body_format);
  let isSending = false;
  try {
    const server = await discover(provider);
    requireSafeEndpoint(server.token_endpoint ?? null, 'token endpoint');
    isSending = true;
    const response = await send(server, {
      [oauth.customFetch]: transport,
      // requireSafeEndpoint has already decided which http endpoints are allowed.
      [oauth.allowInsecureRequests]: true,
      headers: { ...provider.token_headers },
    });
    return parseTokenResponse(await toTokenResponse(response), provider);
  } catch (error) {
    if (error instanceof MissingMetadata)
      return { kind: 'unavailable', code: 'no_metadata', retry_after_s: null, is_unknown: false };
    if (error instanceof AppError && (error.code === 'conflict' || error.code === 'invalid_request')) throw error;
    const outcome = outcomeWithoutResponse(error);
    return outcome.kind === 'unavailable' && !isSending ? { ...outcome, is_unknown: false } : outcome;
  }
}

function clientOf({ client_id: clientId }: OAuthSettings): oauth.Client {
  return { client_id: clientId };
}

function authenticationOf({ provider, client_secret: secret }: OAuthSettings): oauth.ClientAuth {
  if (provider.client_auth === 'none' || secret === null) return oauth.None();
  return provider.client_auth === 'post' ? oauth.ClientSecretPost(secret) : basicAuthentication(secret);
}

/** Like the library's, but `-_.!~*'()` are not percent-encoded: many servers do not decode the header. */
function basicAuthentication(secret: string): oauth.ClientAuth {
  return (...[, client, , headers]) => {
    const pair = `${encodeURIComponent(client.client_id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}
