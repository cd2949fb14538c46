import type { Caller } from '#domain/access/caller.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import type { Services } from '#operations/services.ts';

/** Deletes a connection with its credentials. @throws AppError `not_found`. */
export async function deleteConnection(services: Services, caller: Caller, id: string): Promise<void> {
  const isDeleted = await services.stores.transaction((stores) =>
    stores.connections.delete(caller.scope, id, connectionAccess(caller)),
  );
  if (!isDeleted) throw connectionNotFound();
}
