import { z } from 'zod';
import type { Scope } from '#domain/access/scope.ts';
import type { TokenReceipt } from '#domain/connections/credential-tokens.ts';
import type { Services } from '#operations/services.ts';

const StoredCredentials = z.record(z.string(), z.unknown());
type Keys = Pick<Services, 'secrets'>;

/** Encrypts credentials for their row. Moved to another row, the ciphertext does not open. */
export function sealCredentials(
  { secrets }: Keys,
  scope: Scope,
  credential: { id: string; credentials: Readonly<Record<string, unknown>> },
): { id: string; sealed: string } {
  const { id, credentials } = credential;
  return { id, sealed: secrets.keyRing.seal(JSON.stringify(credentials), contextOf(scope, id)) };
}

/** Decrypts credentials. @throws AppError `internal` when the key is missing or the row was altered. */
export function openCredentials(
  { secrets }: Keys,
  scope: Scope,
  credential: { id: string; sealed: string },
): Record<string, unknown> {
  const secret = secrets.keyRing.open(credential.sealed, contextOf(scope, credential.id));
  return StoredCredentials.parse(JSON.parse(secret.reveal()));
}

/** Reads and decrypts the credentials of a connection; empty when it has none. */
export async function readCredentials(
  services: Services,
  scope: Scope,
  id: string | null,
): Promise<Record<string, unknown>> {
  const stored = id === null ? null : await services.stores.credentials.find(scope, id);
  return id === null || stored === null ? {} : openCredentials(services, scope, { id, sealed: stored.sealed });
}

/** Returns the receipt of tokens that arrive now, with a random number that spreads their refreshes. */
export function tokenReceiptNow({ clock }: Pick<Services, 'clock'>): TokenReceipt {
  return { receivedMs: clock.now().getTime(), random: Math.random() };
}

function contextOf(scope: Scope, id: string) {
  return { workspaceId: scope.workspaceId, row: `credentials/${id}` };
}
