import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { ConnectionList } from '#domain/records/connection.ts';
import { connectionAccess } from './connection-access.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';

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
    limit: query.limit,
    binding,
    positionOf: (row) => [row.createdUs, row.connection.id],
  });
  return {
    data: page.map((row) => row.connection),
    total_count: totalCount,
    ...next,
  };
}
