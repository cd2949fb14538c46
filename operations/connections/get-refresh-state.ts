import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import { explainRefreshFailure } from '#domain/connections/explain-refresh-failure.ts';
import { refreshTokenOf } from '#domain/connections/credential-tokens.ts';
import type { RefreshState } from '#domain/records/oauth.ts';
import type { RefreshableConnection } from '#store/connections/credential-refresh.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { openCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

/** Returns when the tokens of a connection expire and are refreshed, and why the last refresh failed. @throws AppError `not_found`. */
export async function getRefreshState(services: Services, caller: Caller, id: string): Promise<RefreshState> {
  const connection = await services.stores.connections.find(caller.scope, id, connectionAccess(caller));
  if (!connection) throw connectionNotFound();
  const found = await services.stores.credentialRefreshes.find(caller.scope, id);
  if (!found) return { ...NO_TOKENS, connection_id: id, status: connection.status };
  return describeTokens(services, caller.scope, found);
}

/** Returns the state of the tokens of a connection. @throws AppError `internal` when they cannot be decrypted. */
export function describeTokens(services: Services, scope: Scope, found: RefreshableConnection): RefreshState {
  const credentials = openCredentials(services, scope, { id: found.credential_id, sealed: found.sealed });
  return {
    connection_id: found.id,
    status: found.status,
    can_refresh: refreshTokenOf(credentials) !== null,
    expires_at: found.expires_at?.toISOString() ?? null,
    expires_assumed: found.is_assumed,
    last_refresh_at: found.last_refresh_at?.toISOString() ?? null,
    next_refresh_at: found.status === 'inactive' ? null : (found.due_at?.toISOString() ?? null),
    problem: problemOf(found),
  };
}

const NO_TOKENS = {
  can_refresh: false,
  expires_at: null,
  expires_assumed: false,
  last_refresh_at: null,
  next_refresh_at: null,
  problem: null,
} as const;

/** A failure counts only for the credential version it occurred with: new credentials clear it. */
function problemOf({ fence, version, status }: RefreshableConnection): RefreshState['problem'] {
  if (fence === null || fence.failure_code === null || fence.version !== version) return null;
  const { failure_code: code, failures, state } = fence;
  const detail = explainRefreshFailure(code, state === 'refused' ? 'refused' : 'unavailable', status);
  return { code, detail, failures };
}
