import * as oauth from 'oauth4webapi';
import type { Schemas } from '../../api/schemas.ts';
import type { TokenCredentials } from '../credentials.ts';

/** A configured issuer, and the client that this console is there. */
export type Issuer = NonNullable<Schemas['SignInMethods']['oidc']>;

/** What has to be remembered while the issuer asks who somebody is. */
type Pending = { state: string; verifier: string; returnTo: string };

const PENDING_NAME = 'loci.sign-in';
export const REDIRECT_PATH = '/console/';

/** Goes to the issuer, which returns to the console: the authorization code flow with PKCE (RFC 9700, section 2.1.1). */
export async function goToIssuer(issuer: Issuer): Promise<void> {
  const server = await discover(issuer);
  if (server.authorization_endpoint === undefined) throw new Error(`${issuer.issuer} has no authorization endpoint.`);
  const returnTo = location.pathname + location.search;
  const pending: Pending = {
    state: oauth.generateRandomState(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo,
  };
  sessionStorage.setItem(PENDING_NAME, JSON.stringify(pending));
  const address = new URL(server.authorization_endpoint);
  const parameters = {
    ...issuer.parameters,
    client_id: issuer.client_id,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: issuer.scopes.join(' '),
    state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}

/** Exchanges the code that the issuer returned with. Returns where the sign-in began, too. @throws Error which says why not */
export async function redeemCode(
  issuer: Issuer,
  returned: URL,
): Promise<{ credentials: TokenCredentials; returnTo: string }> {
  const pending = takePending();
  if (pending === null) throw new Error('The sign-in did not begin in this tab. Sign in again.');
  const server = await discover(issuer);
  const client = { client_id: issuer.client_id };
  const answer = oauth.validateAuthResponse(server, client, returned, pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirectUri(),
    pending.verifier,
    { ...insecure(issuer), additionalParameters: resourceOf(issuer) },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
  const credentials = { ...tokenOf(tokens), kind: 'token' as const, id: crypto.randomUUID(), workspaceId: null };
  return { credentials, returnTo: pending.returnTo };
}

/** Gets another token for the same user, with the refresh token. @throws Error when the issuer gives none any more */
export async function renewToken(issuer: Issuer, credentials: TokenCredentials): Promise<TokenCredentials> {
  const server = await discover(issuer);
  const client = { client_id: issuer.client_id };
  const old = credentials.refreshToken ?? '';
  const options = { ...insecure(issuer), additionalParameters: resourceOf(issuer) };
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), old, options);
  const tokens = tokenOf(await oauth.processRefreshTokenResponse(server, client, response));
  const { refreshToken, idToken } = credentials;
  return {
    ...credentials,
    ...tokens,
    refreshToken: tokens.refreshToken ?? refreshToken,
    idToken: tokens.idToken ?? idToken,
  };
}

/** Returns what the issuer says about itself. */
export async function discover(issuer: Issuer): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer.issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure(issuer)));
}

/** An operator who configured an issuer without TLS has decided so, as in tests. */
export function insecure({ issuer }: Issuer) {
  return { [oauth.allowInsecureRequests]: issuer.startsWith('http://') };
}

/** RFC 8707: the resource is named to the token endpoint as well. */
function resourceOf({ parameters }: Issuer): Record<string, string> {
  const { resource } = parameters;
  return resource === undefined ? {} : { resource };
}

function tokenOf({
  access_token: token,
  refresh_token: refreshToken,
  id_token: idToken,
  expires_in: lifetimeS,
}: oauth.TokenEndpointResponse) {
  return {
    token,
    refreshToken: refreshToken ?? null,
    idToken: idToken ?? null,
    expiresAtMs: lifetimeS === undefined ? null : Date.now() + lifetimeS * 1000,
  };
}

function redirectUri(): string {
  return location.origin + REDIRECT_PATH;
}

function takePending(): Pending | null {
  const text = sessionStorage.getItem(PENDING_NAME);
  sessionStorage.removeItem(PENDING_NAME);
  // Nothing but `goToIssuer` writes it.
  return text === null ? null : (JSON.parse(text) as Pending);
}
