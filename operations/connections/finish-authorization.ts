import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { lifetimeOfTokens, refreshTokenOf, mergeTokensIntoCredentials } from '#domain/connections/credential-tokens.ts';
import type { Tokens } from '#domain/connections/token-response.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { OAuthState } from '#store/connections/oauth-states.ts';
import { hashState, verifierContext } from './authorize-connection.ts';
import { readCredentials, tokenReceiptNow, openCredentials, sealCredentials } from './credentials.ts';
import { resolveOAuthSettings } from './oauth-settings.ts';
import type { Services } from '#operations/services.ts';

/** What the user is told, and where they go on; `error` is null when the connection has its tokens. */
export type AuthorizationResult = { connection_id: string; redirect_url: string | null; error: string | null };

/**
 * Takes the user back from the provider: the state is used up, the code exchanged, and the tokens are written, sealed, before
 * anybody is told. Whoever has no state that is under way gets nowhere.
 * @throws AppError `invalid_request` for a state that is unknown, used or too old, and for an answer that is not the provider's.
 */
export async function finishAuthorization(services: Services, callback: URLSearchParams): Promise<AuthorizationResult> {
  const hash = hashState(callback.get('state') ?? '');
  const state = await services.stores.system.consumeOAuthState(hash);
  if (!state) {
    throw new AppError(
      'invalid_request',
      'This authorization is not known, was finished, or is too old: begin it anew.',
    );
  }
  const end = { connection_id: state.connection_id, redirect_url: state.redirect_url };
  if (callback.get('error') !== null) return { ...end, error: shortCode(callback.get('error')) };
  if (!callback.get('code')) return { ...end, error: 'no_code' };
  const scope = { workspaceId: state.workspace_id, collectionIds: null };
  const verifier = services.secrets.keyRing.open(state.sealed_verifier, verifierContext(scope, hash)).reveal();
  const outcome = await exchange(services, scope, { state, callback, verifier });
  if (outcome.kind !== 'tokens') return { ...end, error: outcome.code };
  await services.stores.transaction((stores) =>
    writeTokens({ ...services, stores }, scope, { connectionId: state.connection_id, tokens: outcome.tokens }),
  );
  services.log.info(
    { connection_id: state.connection_id, workspace_id: state.workspace_id },
    'a connection was authorized',
  );
  return { ...end, error: null };
}

async function exchange(
  services: Services,
  scope: Scope,
  { state, callback, verifier }: { state: OAuthState; callback: URLSearchParams; verifier: string },
) {
  const connection = await services.stores.connections.find(scope, state.connection_id, { ownerId: null });
  if (!connection) throw new AppError('invalid_request', 'The connection was deleted meanwhile.');
  const credentials = await readCredentials(services, scope, connection.credential_id);
  const settings = await resolveOAuthSettings(services, scope, { ...connection, credentials });
  const redirect_uri = services.authorization.callbackUrl;
  return services.oauth.exchangeCode(settings, { redirect_uri, callback, code_verifier: verifier });
}

/** Over whatever is there by now: what the answer does not name stays. */
async function writeTokens(
  services: Services,
  scope: Scope,
  { connectionId, tokens }: { connectionId: string; tokens: Tokens },
): Promise<void> {
  const { stores } = services;
  const connection = await stores.connections.lock(scope, connectionId, { ownerId: null });
  if (!connection) throw new AppError('invalid_request', 'The connection was deleted meanwhile.');
  const before = await stores.credentialRefreshes.lock(scope, connectionId);
  const credentialId = before?.credential_id ?? uuidv7();
  const known = before ? openCredentials(services, scope, { id: credentialId, sealed: before.sealed }) : {};
  const received = tokenReceiptNow(services);
  const credentials = mergeTokensIntoCredentials(known, tokens, received);
  const life = lifetimeOfTokens(tokens, refreshTokenOf(credentials) !== null, received);
  await stores.credentials.put(scope, sealCredentials(services, scope, { id: credentialId, credentials }), life);
  const wasBroken = connection.status === 'expired' || connection.status === 'error';
  await stores.connections.update(scope, connectionId, { credentialId, ...(wasBroken ? { status: 'active' } : {}) });
}

function shortCode(text: string | null): string {
  return text !== null && /^[a-z][a-z_]{0,47}$/i.test(text) ? text.toLowerCase() : 'unknown_error';
}
