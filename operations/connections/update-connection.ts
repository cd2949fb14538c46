import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { lifetimeOfCredentials } from '#domain/connections/credential-tokens.ts';
import type { Connection, UpdateConnectionRequest } from '#domain/records/connection.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { tokenReceiptNow, sealCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

/**
 * Changes the fields of a connection that are sent. New credentials replace the ones before, as a new version; a connection
 * that was `expired` or in `error` is `active` with them, unless a status is sent.
 * @throws AppError `not_found`, `forbidden`.
 */
export async function updateConnection(
  services: Services,
  caller: Caller,
  change: { id: string; fields: UpdateConnectionRequest },
): Promise<Connection> {
  const { id, fields } = change;
  const { credentials, ...others } = fields;
  const reach = connectionAccess(caller);
  return services.stores.transaction(async (stores) => {
    const before = await stores.connections.lock(caller.scope, id, reach);
    if (!before) throw connectionNotFound();
    if (Object.keys(fields).length === 0) return before;
    if (credentials === undefined) {
      requireSameDestination(caller, before, others);
      await stores.connections.update(caller.scope, id, others);
    } else {
      const credentialId = before.credential_id ?? uuidv7();
      const sealed = sealCredentials(services, caller.scope, { id: credentialId, credentials });
      await stores.credentials.put(caller.scope, sealed, lifetimeOfCredentials(credentials, tokenReceiptNow(services)));
      const wasBroken = before.status === 'expired' || before.status === 'error';
      const status = others.status ?? (wasBroken ? 'active' : undefined);
      await stores.connections.update(caller.scope, id, { ...others, status, credentialId });
    }
    return (await stores.connections.find(caller.scope, id, reach)) ?? before;
  });
}

/**
 * Where tokens are sent changes only together with them: else whoever may write a connection could have secrets sent to a
 * place of their own, though they may not see them.
 */
function requireSameDestination(caller: Caller, before: Connection, { config }: UpdateConnectionRequest): void {
  if (config === undefined || before.credential_id === null || holdsPermissions(caller, ['connections:reveal'])) return;
  if (isDeepStrictEqual(config['oauth'], before.config['oauth'])) return;
  throw new AppError(
    'forbidden',
    'To change `config.oauth` of a connection with credentials, send the credentials as well, or use a key with connections:reveal.',
  );
}
