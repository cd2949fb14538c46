import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { maskSecrets } from '#domain/connections/mask-secrets.ts';
import type { ConnectionDetail } from '#domain/records/connection.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { openCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

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
