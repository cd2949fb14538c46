import * as oauth from 'oauth4webapi';
import type { TokenCredentials } from '../credentials.ts';
import { discover, insecure, type Issuer, REDIRECT_PATH } from './go-to-issuer.ts';

/**
 * Has the issuer take back the refresh token, with which the tab could get others (RFC 7009), where it offers that.
 * @throws Error when it does not answer or refuses
 */
export async function revokeAtIssuer(issuer: Issuer, { refreshToken }: TokenCredentials): Promise<void> {
  const server = await discover(issuer);
  if (refreshToken === null || server.revocation_endpoint === undefined) return;
  const client = { client_id: issuer.client_id };
  const response = await oauth.revocationRequest(server, client, oauth.None(), refreshToken, insecure(issuer));
  await oauth.processRevocationResponse(response);
}

/**
 * Goes to the issuer to end the session there too, which returns to the console (OpenID Connect RP-Initiated Logout 1.0).
 * @throws Error when the issuer does not answer or has no such page
 */
export async function endSessionAtIssuer(issuer: Issuer, { idToken }: TokenCredentials): Promise<void> {
  const server = await discover(issuer);
  if (server.end_session_endpoint === undefined) throw new Error('It has no page to sign out.');
  const address = new URL(server.end_session_endpoint);
  const parameters = {
    client_id: issuer.client_id,
    post_logout_redirect_uri: location.origin + REDIRECT_PATH,
    ...(idToken === null ? {} : { id_token_hint: idToken }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address);
}
