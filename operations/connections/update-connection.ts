import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { lifetimeOfCredentials, refreshTokenOf } from '#domain/connections/credential-tokens.ts';
import type { Connection, UpdateConnectionRequest } from '#domain/records/connection.ts';
import { connectionNotFound, connectionAccess } from './connection-access.ts';
import { openCredentials, tokenReceiptNow, sealCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';
import type { Stores } from '#store/stores.ts';

/**
 * Changes the fields of a connection that were sent. New credentials replace the previous ones as a new version. They also set
 * a connection that was `expired` or in `error` back to `active`, unless the request sends a status. Set to `active` without new
 * credentials, it is due for a refresh where a refusal had ended its schedule.
 * @throws AppError `not_found`, `forbidden`.
 */
export async function updateConnection(
  services: Services,
  caller: Caller,
  change: { id: string; fields: UpdateConnectionRequest },
): Promise<Connection> {
  const { id, fields } = change;
  const { credentials, ...others } = fields;
  const access = connectionAccess(caller);
  return services.stores.transaction(async (stores) => {
    const before = await stores.connections.lock(caller.scope, id, access);
    if (!before) throw connectionNotFound();
    if (Object.keys(fields).length === 0) return before;
    if (credentials === undefined) {
      requireSameDestination(caller, before, others);
      await stores.connections.update(caller.scope, id, others);
      if (others.status === 'active' && before.status !== 'active')
        await scheduleRefresh(services, stores, { caller, credentialId: before.credential_id });
    } else {
      const credentialId = before.credential_id ?? uuidv7();
      const sealed = sealCredentials(services, caller.scope, { id: credentialId, credentials });
      await stores.credentials.put(caller.scope, sealed, lifetimeOfCredentials(credentials, tokenReceiptNow(services)));
      const wasBroken = before.status === 'expired' || before.status === 'error';
      const status = others.status ?? (wasBroken ? 'active' : undefined);
      await stores.connections.update(caller.scope, id, { ...others, status, credentialId });
    }
    return (await stores.connections.find(caller.scope, id, access)) ?? before;
  });
}

/**
 * Requires new credentials, or `connections:reveal`, for a change of `config.oauth`. Otherwise a caller who may write
 * connections but not read secrets could have the stored tokens sent to an endpoint of their own.
 */
function requireSameDestination(caller: Caller, before: Connection, { config }: UpdateConnectionRequest): void {
  if (config === undefined || before.credential_id === null || holdsPermissions(caller, ['connections:reveal'])) return;
  if (isDeepStrictEqual(config['oauth'], before.config['oauth'])) return;
  throw new AppError(
    'forbidden',
    'To change `config.oauth` of a connection that has credentials, send the credentials again or use a key with connections:reveal.',
  );
}

/** Without this, nobody would refresh the tokens of a connection whose last refresh was refused. */
async function scheduleRefresh(
  services: Services,
  stores: Stores,
  { caller, credentialId: id }: { caller: Caller; credentialId: string | null },
): Promise<void> {
  const stored = id === null ? null : await stores.credentials.find(caller.scope, id);
  if (id === null || stored === null) return;
  const credentials = openCredentials(services, caller.scope, { id, sealed: stored.sealed });
  if (refreshTokenOf(credentials) !== null) await stores.credentialRefreshes.makeDue(caller.scope, id);
}
