import { z } from 'zod';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';
import type { TokenReceipt } from '#domain/connections/credential-tokens.ts';

const Stored = z.record(z.string(), z.unknown());
type Keys = Pick<Services, 'secrets'>;

/** Seals secrets for the row that they will be in; moved to another one they do not open. */
export function sealCredentials(
  { secrets }: Keys,
  scope: Scope,
  credential: { id: string; credentials: Readonly<Record<string, unknown>> },
): { id: string; sealed: string } {
  const { id, credentials } = credential;
  return { id, sealed: secrets.keyRing.seal(JSON.stringify(credentials), contextOf(scope, id)) };
}

/** Secrets in clear. @throws AppError `internal` when the key is missing or the row was altered. */
export function openCredentials(
  { secrets }: Keys,
  scope: Scope,
  credential: { id: string; sealed: string },
): Record<string, unknown> {
  const secret = secrets.keyRing.open(credential.sealed, contextOf(scope, credential.id));
  return Stored.parse(JSON.parse(secret.reveal()));
}

function contextOf(scope: Scope, id: string) {
  return { workspaceId: scope.workspaceId, row: `credentials/${id}` };
}

/** Now, and a number that spreads what is due. */
export function tokenReceiptNow({ clock }: Pick<Services, 'clock'>): TokenReceipt {
  return { receivedMs: clock.now().getTime(), random: Math.random() };
}

/** Secrets in clear, none for a connection without. */
export async function readCredentials(
  services: Services,
  scope: Scope,
  id: string | null,
): Promise<Record<string, unknown>> {
  const stored = id === null ? null : await services.stores.credentials.find(scope, id);
  return id === null || stored === null ? {} : openCredentials(services, scope, { id, sealed: stored.sealed });
}
