import type { Caller } from '#domain/access/caller.ts';
import { explainFailure } from '#domain/connections/explain-failure.ts';
import { refreshTokenOf } from '#domain/connections/stored-tokens.ts';
import type { RefreshState } from '#domain/records/oauth.ts';
import type { Refreshable } from '#store/connections/refreshes.ts';
import { connectionNotFound, connectionReach } from './connection-reach.ts';
import { openCredentials } from './seal-credentials.ts';
import type { Services } from '#operations/services.ts';

/** How fresh the tokens of a connection are, and what is wrong with them. @throws AppError `not_found`. */
export async function getRefreshState(services: Services, caller: Caller, id: string): Promise<RefreshState> {
  const connection = await services.stores.connections.find(caller.scope, id, connectionReach(caller));
  if (!connection) throw connectionNotFound();
  const found = await services.stores.refreshes.find(caller.scope, id);
  if (!found) return { ...NOTHING, connection_id: id, status: connection.status };
  const credentials = openCredentials(services, caller.scope, { id: found.credential_id, sealed: found.sealed });
  return {
    connection_id: id,
    status: found.status,
    can_refresh: refreshTokenOf(credentials) !== null,
    expires_at: found.expires_at?.toISOString() ?? null,
    expires_assumed: found.is_assumed,
    last_refresh_at: found.last_refresh_at?.toISOString() ?? null,
    next_refresh_at: found.status === 'inactive' ? null : (found.due_at?.toISOString() ?? null),
    problem: problemOf(found),
  };
}

const NOTHING = {
  can_refresh: false,
  expires_at: null,
  expires_assumed: false,
  last_refresh_at: null,
  next_refresh_at: null,
  problem: null,
} as const;

/** Of the present credentials only: with new ones the old problem is over. */
function problemOf({ fence, version, status }: Refreshable): RefreshState['problem'] {
  if (fence === null || fence.failure_code === null || fence.version !== version) return null;
  const { failure_code: code, failures, state } = fence;
  const detail = explainFailure(code, state === 'refused' ? 'refused' : 'unavailable', status);
  return { code, detail, failures };
}
