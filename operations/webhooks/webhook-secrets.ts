import { requireWholeWorkspace, type Caller } from '#domain/access/caller.ts';
import type { WorkspaceWebhookSecret, Webhook } from '#domain/records/webhook.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { URL_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import type { Secret } from '#security/secret.ts';
import { generateWebhookSecret } from '#security/webhook-signature.ts';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import type { SealedSecret } from '#store/webhooks/webhooks.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';
import { requireEventAccess, requireEventPermission, requireLastingAccess, webhookNotFound } from './webhook-access.ts';

type Keys = Pick<Services, 'secrets'>;

/** Owner of a signing secret: a webhook, by its id, or the workspace (null). */
export type SecretOwner = { webhookId: string | null };

/** Generates a signing secret; returns it in plain text and sealed for storage. */
export function newWebhookSecret(
  { secrets }: Keys,
  scope: Scope,
  owner: SecretOwner,
): { plain: string; sealed: string } {
  const plain = generateWebhookSecret().reveal();
  return { plain, sealed: secrets.keyRing.seal(plain, contextOf(scope, owner)) };
}

/**
 * Returns the secrets that sign a delivery, newest first. A previous one that cannot be opened is left out, so that rotation helps
 * when its key is lost.
 */
export async function openSigningSecrets(
  services: Keys & Pick<Services, 'stores' | 'log'>,
  delivery: ClaimedDelivery,
): Promise<Secret[]> {
  const scope = workspaceScope(delivery);
  const context = contextOf(scope, { webhookId: delivery.endpoint_id });
  const current = delivery.sealed_secret ?? (await findOrCreateWorkspaceSecret(services, scope)).sealed_secret;
  const open = (text: string) => services.secrets.keyRing.open(text, context);
  const secrets = [open(current)];
  if (delivery.previous_sealed_secret === null) return secrets;
  try {
    secrets.push(open(delivery.previous_sealed_secret));
  } catch (error) {
    const facts = { error, workspace_id: delivery.workspace_id, webhook_id: delivery.endpoint_id };
    services.log.error(facts, 'the previous secret of a webhook cannot be opened; only the present one signs');
  }
  return secrets;
}

/**
 * Returns the secret that signs deliveries to the `webhook_url` of a request; creates it on first use.
 * @throws AppError `forbidden` for callers who may not read what it signs.
 */
export async function getWorkspaceWebhookSecret(services: Services, caller: Caller): Promise<WorkspaceWebhookSecret> {
  requireSecretAccess(caller);
  return present(services, caller.scope, await findOrCreateWorkspaceSecret(services, caller.scope));
}

/** Replaces the secret of the workspace. The previous one also signs for 24 hours. @throws AppError `forbidden`, as above. */
export async function rotateWorkspaceWebhookSecret(
  services: Services,
  caller: Caller,
  idempotency: Idempotency | null,
): Promise<Answer<WorkspaceWebhookSecret>> {
  requireSecretAccess(caller);
  const { scope } = caller;
  return withIdempotency(services, caller, {
    route: `POST /workspaces/${scope.workspaceId}/webhook-secret/rotate`,
    idempotency,
    effect: async (stores) => {
      const { sealed } = newWebhookSecret(services, scope, { webhookId: null });
      const row = await stores.webhooks.rotateSecret(scope, sealed);
      return { status: 200, body: present(services, scope, required(row)) };
    },
  });
}

/** Who knows a secret can forge what it signs, so only those have it who could receive the same events. */
function requireSecretAccess(caller: Caller): void {
  requireWholeWorkspace(caller);
  URL_EVENT_TYPES.forEach((type) => requireEventPermission(caller, type));
}

async function findOrCreateWorkspaceSecret(
  services: Keys & Pick<Services, 'stores'>,
  scope: Scope,
): Promise<SealedSecret> {
  const { webhooks } = services.stores;
  const found = await webhooks.findSecret(scope);
  if (found) return found;
  await webhooks.insertSecret(scope, newWebhookSecret(services, scope, { webhookId: null }).sealed);
  return required(await webhooks.findSecret(scope));
}

function present({ secrets }: Keys, scope: Scope, row: SealedSecret): WorkspaceWebhookSecret {
  return {
    workspace_id: scope.workspaceId,
    secret: secrets.keyRing.open(row.sealed_secret, contextOf(scope, { webhookId: null })).reveal(),
    previous_secret_expires_at: row.previous_secret_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function required(row: SealedSecret | null): SealedSecret {
  if (!row) throw new Error('the webhook secret of a workspace was not stored');
  return row;
}

/** Seal context of a secret. It names no column: a rotated secret moves to another column of its row and must still open. */
function contextOf(scope: Scope, { webhookId }: SecretOwner) {
  const row = webhookId === null ? 'webhook_secrets' : `webhook_endpoints/${webhookId}`;
  return { workspaceId: scope.workspaceId, row };
}

/**
 * Gives a webhook a new secret, in this answer and nowhere else; the one before signs as well for 24 hours.
 * @throws AppError `not_found`, `forbidden` for events or collections that the caller may not read, and as for a change.
 */
export async function rotateWebhookSecret(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<Webhook>> {
  const { id, idempotency } = request;
  return withIdempotency(services, caller, {
    route: `POST /webhooks/${id}/rotate`,
    idempotency,
    effect: async (stores) => {
      const before = await stores.webhooks.lock(caller.scope, id);
      if (!before) throw webhookNotFound();
      requireEventAccess(caller, before);
      await requireLastingAccess({ ...services, stores }, caller, before);
      const { plain, sealed } = newWebhookSecret(services, caller.scope, { webhookId: id });
      const rotated = await stores.webhooks.rotate(caller.scope, id, sealed);
      if (!rotated) throw webhookNotFound();
      return { status: 200, body: { ...rotated, secret: plain } };
    },
  });
}
