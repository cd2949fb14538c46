import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '#domain/access/caller.ts';
import { lifetimeOfCredentials } from '#domain/connections/credential-tokens.ts';
import type { Connection, CreateConnectionRequest } from '#domain/records/connection.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { ownerOfNewConnection } from './connection-access.ts';
import { tokenReceiptNow, sealCredentials } from './credentials.ts';
import type { Services } from '#operations/services.ts';

/** Creates a connection. Its credentials are encrypted before they are stored. @throws AppError `validation_failed`. */
export async function createConnection(
  services: Services,
  caller: Caller,
  request: { body: CreateConnectionRequest; idempotency: Idempotency | null },
): Promise<Answer<Connection>> {
  const { credentials, user_id, ...fields } = request.body;
  const userId = ownerOfNewConnection(caller, user_id);
  return withIdempotency(services, caller, {
    route: 'POST /connections',
    idempotency: request.idempotency,
    effect: async (stores) => {
      const credentialId = credentials === undefined ? null : uuidv7();
      if (credentials !== undefined && credentialId !== null) {
        const sealed = sealCredentials(services, caller.scope, { id: credentialId, credentials });
        await stores.credentials.put(
          caller.scope,
          sealed,
          lifetimeOfCredentials(credentials, tokenReceiptNow(services)),
        );
      }
      const record = { ...fields, userId, credentialId, createdBy: caller.principal };
      return { status: 201, body: await stores.connections.insert(caller.scope, record) };
    },
  });
}
