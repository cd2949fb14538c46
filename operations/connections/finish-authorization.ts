import pRetry from 'p-retry';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import {
  credentialText,
  lifetimeOfTokens,
  refreshTokenOf,
  replaceAuthorization,
  type TokenReceipt,
} from '#domain/connections/credential-tokens.ts';
import type { Tokens } from '#domain/connections/token-response.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import type { OAuthState } from '#store/connections/oauth-states.ts';
import { hashState, verifierContext } from './authorize-connection.ts';
import { readCredentials, tokenReceiptNow, openCredentials, sealCredentials } from './credentials.ts';
import { resolveOAuthSettings } from './oauth-settings.ts';
import type { Services } from '#operations/services.ts';

/** Result for the user, and the URL to send them to. `error` is null when the connection has its tokens. */
export type AuthorizationResult = { connection_id: string; redirect_url: string | null; error: string | null };

/** For how long a database that is away is tried again: the code was exchanged, so the tokens exist nowhere else. */
const WRITING_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;

/**
 * Handles the provider's redirect back: consumes the state, exchanges the code, and stores the tokens encrypted before it
 * reports success.
 * @throws AppError `invalid_request` for a state that is unknown, used or expired, and for a callback that is not the provider's;
 *   `dependency_unavailable` when the tokens could not be stored within a minute.
 */
export async function finishAuthorization(services: Services, callback: URLSearchParams): Promise<AuthorizationResult> {
  const hash = hashState(callback.get('state') ?? '');
  const state = await services.stores.system.consumeOAuthState(hash);
  if (!state) {
    throw new AppError(
      'invalid_request',
      'This authorization is unknown, already finished, or expired. Start it again.',
    );
  }
  const result = { connection_id: state.connection_id, redirect_url: state.redirect_url };
  if (callback.get('error') !== null) return { ...result, error: safeErrorCode(callback.get('error')) };
  if (!callback.get('code')) return { ...result, error: 'no_code' };
  const scope = workspaceScope(state);
  const verifier = services.secrets.keyRing.open(state.sealed_verifier, verifierContext(scope, hash)).reveal();
  const outcome = await exchangeCode(services, scope, { state, callback, verifier });
  if (outcome.kind !== 'tokens') return { ...result, error: outcome.code };
  await writePatiently(services, scope, {
    connectionId: state.connection_id,
    tokens: outcome.tokens,
    receipt: tokenReceiptNow(services),
  });
  services.log.info(
    { connection_id: state.connection_id, workspace_id: state.workspace_id },
    'a connection was authorized',
  );
  return { ...result, error: null };
}

async function exchangeCode(
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

/** Versions of the credentials that attempts to write have found. */
type SeenVersions = Set<number>;
type ReceivedTokens = { connectionId: string; tokens: Tokens; receipt: TokenReceipt };

/** Writes the tokens, again while the database is away, because the code of the callback is valid once. */
async function writePatiently(services: Services, scope: Scope, received: ReceivedTokens): Promise<void> {
  const seen: SeenVersions = new Set();
  const write = async () =>
    services.stores.transaction((stores) => writeTokens({ ...services, stores }, scope, { ...received, seen }));
  await pRetry(write, {
    retries: Infinity,
    minTimeout: FIRST_PAUSE_MS,
    maxTimeout: MAX_PAUSE_MS,
    maxRetryTime: WRITING_MS,
    shouldRetry: ({ error }) => isAway(error),
    onFailedAttempt({ error }) {
      if (!isAway(error)) return;
      services.log.warn({ error, connection_id: received.connectionId }, 'new tokens could not be stored yet');
    },
  });
}

function isAway(error: Error): boolean {
  return error instanceof AppError && error.code === 'dependency_unavailable';
}

/** Writes the tokens into the credentials that the connection has now; the OAuth client among them stays. */
async function writeTokens(
  services: Services,
  scope: Scope,
  { connectionId, tokens, receipt, seen }: ReceivedTokens & { seen: SeenVersions },
): Promise<void> {
  const { stores } = services;
  const connection = await stores.connections.lock(scope, connectionId, { ownerId: null });
  if (!connection) throw new AppError('invalid_request', 'The connection was deleted meanwhile.');
  const before = await stores.credentialRefreshes.lock(scope, connectionId);
  const credentialId = before?.credential_id ?? uuidv7();
  const existing = before ? openCredentials(services, scope, { id: credentialId, sealed: before.sealed }) : {};
  const version = before?.version ?? 0;
  const isOwn = seen.size > 0 && !seen.has(version) && credentialText(existing, 'access_token') === tokens.access_token;
  // An earlier attempt was committed, although its answer was lost.
  if (isOwn) return;
  seen.add(version);
  const credentials = replaceAuthorization(existing, tokens, receipt);
  const lifetime = lifetimeOfTokens(tokens, refreshTokenOf(credentials) !== null, receipt);
  await stores.credentials.put(scope, sealCredentials(services, scope, { id: credentialId, credentials }), lifetime);
  const wasBroken = connection.status === 'expired' || connection.status === 'error';
  await stores.connections.update(scope, connectionId, { credentialId, ...(wasBroken ? { status: 'active' } : {}) });
}

/** The provider's error code when it looks like one; any other text could carry data. */
function safeErrorCode(text: string | null): string {
  return text !== null && /^[a-z][a-z_]{0,47}$/i.test(text) ? text.toLowerCase() : 'unknown_error';
}
