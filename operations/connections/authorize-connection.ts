import { createHash, randomBytes } from 'node:crypto';
import { validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { AuthorizeAnswer, AuthorizeRequest } from '#domain/records/oauth.ts';
import type { Scope } from '#domain/access/scope.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { resolveOAuthSettings } from './oauth-settings.ts';
import { readCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

/** Time that the user has to finish the authorization. */
const STATE_LIFETIME_S = 600;
const STATE_BYTES = 32;

/**
 * Starts the authorization of a connection. Returns the provider's URL to send the user to; it works once. Only the hash of its
 * `state` is stored, and the PKCE code verifier (RFC 7636) is stored encrypted.
 * @throws AppError `not_found`, `conflict` without a client or endpoint, `validation_failed` for a redirect that is not allowed.
 */
export async function authorizeConnection(
  services: Services,
  caller: Caller,
  request: { id: string; body: AuthorizeRequest; idempotency: Idempotency | null },
): Promise<Answer<AuthorizeAnswer>> {
  const { scope } = caller;
  const { redirect_url: redirectUrl = null } = request.body;
  const connection = await services.stores.connections.find(scope, request.id, connectionAccess(caller));
  if (!connection) throw connectionNotFound();
  if (redirectUrl !== null) requireAllowedRedirect(services.authorization.redirectUrls, redirectUrl);
  const credentials = await readCredentials(services, scope, connection.credential_id);
  const settings = await resolveOAuthSettings(services, scope, { ...connection, credentials });
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const redirect_uri = services.authorization.callbackUrl;
  const start = await services.oauth.startAuthorization(settings, { redirect_uri, state });
  const state_hash = hashState(state);
  const row = {
    state_hash,
    connection_id: connection.id,
    sealed_verifier: services.secrets.keyRing.seal(start.code_verifier, verifierContext(scope, state_hash)),
    redirect_url: redirectUrl,
    lifetimeS: STATE_LIFETIME_S,
  };
  return withIdempotency(services, caller, {
    route: 'POST /oauth/authorize/{connection_id}',
    idempotency: request.idempotency,
    effect: async (stores) => {
      const { expires_at } = await stores.oauthStates.add(scope, row);
      const body = { connection_id: connection.id, authorization_url: start.url, expires_at: expires_at.toISOString() };
      return { status: 200, body };
    },
  });
}

/** Hash under which a state is stored. A plain hash is enough, because states have 256 random bits. */
export function hashState(state: string): string {
  return createHash('sha256').update(state, 'utf8').digest('hex');
}

/** Seal context of the PKCE code verifier. */
export function verifierContext(scope: Pick<Scope, 'workspaceId'>, stateHash: string) {
  return { workspaceId: scope.workspaceId, row: `oauth_states/${stateHash}` };
}

/** An entry that ends in a slash allows every path below it; any other entry allows its own path only. The query may be anything. */
function requireAllowedRedirect(allowed: readonly string[], text: string): void {
  const { origin, pathname, username, hash } = new URL(text);
  const isAllowed = allowed.some((entry) => {
    const url = new URL(entry);
    if (url.origin !== origin) return false;
    return url.pathname === pathname || (url.pathname.endsWith('/') && pathname.startsWith(url.pathname));
  });
  if (isAllowed && username === '' && hash === '') return;
  const msg = 'Is not one of the redirect URLs that the operator allowed with LOCI_OAUTH_REDIRECTS';
  throw validationError([{ loc: ['body', 'redirect_url'], msg, type: 'redirect_not_allowed' }]);
}
