import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { Connection } from '#domain/records/connection.ts';
import type { ConnectionList, ListedConnection } from '#domain/records/oauth.ts';
import type { RefreshableConnection } from '#store/connections/credential-refresh.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { connectionAccess } from './connection-access.ts';
import { describeTokens } from './get-refresh-state.ts';

export type ListConnectionsQuery = {
  integration?: string | undefined;
  integration_type?: string | undefined;
  status?: string | undefined;
  user_id?: string | undefined;
  include_token_state: boolean;
  limit: number;
  cursor?: string | undefined;
};

/** Returns a page of the connections that the caller may use, oldest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listConnections(
  services: Services,
  caller: Caller,
  query: ListConnectionsQuery,
): Promise<ConnectionList> {
  const { integration, integration_type: integrationType, status, user_id: userId } = query;
  const withTokens = query.include_token_state;
  const filters = { integration, integrationType, status, userId };
  const binding = { list: 'connections', filters };
  const after = decodeTimeCursor(binding, query.cursor);
  const filter = { ...filters, ...connectionAccess(caller) };
  const { connections } = services.stores;
  const [rows, totalCount] = await Promise.all([
    connections.list(caller.scope, filter, { after, limit: query.limit, countsSecrets: withTokens }),
    connections.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.connection.id],
  });
  const listed = page.map((row) => row.connection);
  return {
    data: withTokens ? await withTokenStates(services, caller.scope, listed) : listed,
    total_count: totalCount,
    ...next,
  };
}

async function withTokenStates(
  services: Services,
  scope: Scope,
  connections: readonly Connection[],
): Promise<ListedConnection[]> {
  const ids = connections.map(({ id }) => id);
  const tokens = new Map(
    (await services.stores.credentialRefreshes.list(scope, ids)).map((found) => [found.id, found]),
  );
  return connections.map((connection) => {
    const found = tokens.get(connection.id);
    return { ...connection, token_state: found === undefined ? null : stateOrNull(services, scope, found) };
  });
}

/** Credentials that cannot be decrypted hide their own state, not those of the others. */
function stateOrNull(services: Services, scope: Scope, found: RefreshableConnection): ListedConnection['token_state'] {
  try {
    return describeTokens(services, scope, found);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    services.log.warn({ connection_id: found.id, error }, 'the credentials of a connection cannot be decrypted');
    return null;
  }
}
