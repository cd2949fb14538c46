import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { maskSecrets } from '#domain/connections/mask-secrets.ts';
import type { ConnectionDetail, ConnectionList } from '#domain/records/connection.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { openCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import { paginate } from '#operations/paginate.ts';

/**
 * Returns a connection, with its credentials when the request includes them: masked, unless the caller has `connections:reveal`.
 * @throws AppError `not_found`.
 */
export async function getConnection(
  services: Services,
  caller: Caller,
  request: { id: string; includeCredentials: boolean },
): Promise<ConnectionDetail> {
  const { stores } = services;
  const connection = await stores.connections.find(caller.scope, request.id, connectionAccess(caller));
  if (!connection) throw connectionNotFound();
  if (!request.includeCredentials) return connection;
  const { credential_id: id } = connection;
  const stored = id === null ? null : await stores.credentials.find(caller.scope, id);
  if (id === null || stored === null) return { ...connection, credentials: null };
  const credentials = openCredentials(services, caller.scope, { id, sealed: stored.sealed });
  if (!holdsPermissions(caller, ['connections:reveal'])) {
    return { ...connection, credentials: maskSecrets(credentials) };
  }
  services.log.info({ connection_id: request.id }, 'the credentials of a connection were revealed');
  return { ...connection, credentials };
}

export type ListConnectionsQuery = {
  integration?: string | undefined;
  integration_type?: string | undefined;
  status?: string | undefined;
  user_id?: string | undefined;
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
  const filters = { integration, integrationType, status, userId };
  const binding = { list: 'connections', filters };
  const after = decodeTimeCursor(binding, query.cursor);
  const filter = { ...filters, ...connectionAccess(caller) };
  const { connections } = services.stores;
  const [rows, totalCount] = await Promise.all([
    connections.list(caller.scope, filter, { after, limit: query.limit }),
    connections.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.connection.id],
  });
  return {
    data: page.map((row) => row.connection),
    total_count: totalCount,
    ...next,
  };
}
