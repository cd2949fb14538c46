import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '#domain/access/caller.ts';
import { lifeOfSecrets } from '#domain/connections/stored-tokens.ts';
import type { Connection, CreateConnectionRequest } from '#domain/records/connection.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { ownerOfNew } from './connection-reach.ts';
import { tokenReceiptTime } from './token-receipt-time.ts';
import { sealCredentials } from './seal-credentials.ts';
import type { Services } from '#operations/services.ts';

/** Makes a connection; its credentials are sealed before they are written. @throws AppError `validation_failed`. */
export async function createConnection(
  services: Services,
  caller: Caller,
  request: { body: CreateConnectionRequest; idempotency: Idempotency | null },
): Promise<Answer<Connection>> {
  const { credentials, user_id, ...fields } = request.body;
  const userId = ownerOfNew(caller, user_id);
  return withIdempotency(services, caller, {
    route: 'POST /connections',
    idempotency: request.idempotency,
    effect: async (stores) => {
      const credentialId = credentials === undefined ? null : uuidv7();
      if (credentials !== undefined && credentialId !== null) {
        const sealed = sealCredentials(services, caller.scope, { id: credentialId, credentials });
        await stores.credentials.put(caller.scope, sealed, lifeOfSecrets(credentials, tokenReceiptTime(services)));
      }
      const record = { ...fields, userId, credentialId, createdBy: caller.principal };
      return { status: 201, body: await stores.connections.insert(caller.scope, record) };
    },
  });
}
