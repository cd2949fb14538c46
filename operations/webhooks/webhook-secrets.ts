import type { Caller } from '#domain/access/caller.ts';
import type { WorkspaceWebhookSecret } from '#domain/records/webhook.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Secret } from '#security/secret.ts';
import { generateWebhookSecret } from '#security/webhook-signature.ts';
import type { TakenDelivery } from '#store/webhooks/webhook-attempts.ts';
import type { SealedSecret } from '#store/webhooks/webhooks.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';

type Keys = Pick<Services, 'secrets'>;

/** Whose secret it is: a webhook's, by its id, or that of the workspace (null). */
export type SecretOwner = { webhookId: string | null };

/** A new secret, and as it is kept. */
export function newWebhookSecret(
  { secrets }: Keys,
  scope: Scope,
  owner: SecretOwner,
): { plain: string; sealed: string } {
  const plain = generateWebhookSecret().reveal();
  return { plain, sealed: secrets.keyRing.seal(plain, contextOf(scope, owner)) };
}

/** The secrets that a delivery is signed with, the newest first. */
export async function secretsOf(services: Keys & Pick<Services, 'stores'>, taken: TakenDelivery): Promise<Secret[]> {
  const scope = { workspaceId: taken.workspace_id, collectionIds: null };
  const context = contextOf(scope, { webhookId: taken.endpoint_id });
  const current = taken.sealed_secret ?? (await findOrMake(services, scope)).sealed_secret;
  const sealed = [current, ...(taken.previous_sealed_secret === null ? [] : [taken.previous_sealed_secret])];
  return sealed.map((text) => services.secrets.keyRing.open(text, context));
}

/** The secret that messages to the `webhook_url` of a request are signed with; made when it is first asked for. */
export async function getWorkspaceWebhookSecret(services: Services, caller: Caller): Promise<WorkspaceWebhookSecret> {
  return present(services, caller.scope, await findOrMake(services, caller.scope));
}

/** Replaces it; the one before signs as well for 24 hours. */
export async function rotateWorkspaceWebhookSecret(
  services: Services,
  caller: Caller,
  idempotency: Idempotency | null,
): Promise<Answer<WorkspaceWebhookSecret>> {
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

async function findOrMake(services: Keys & Pick<Services, 'stores'>, scope: Scope): Promise<SealedSecret> {
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
  if (!row) throw new Error('the secret of a workspace is gone as soon as it is made');
  return row;
}

/** The same for the secret before, which moves to another column. */
function contextOf(scope: Scope, { webhookId }: SecretOwner) {
  const row = webhookId === null ? 'webhook_secrets' : `webhook_endpoints/${webhookId}`;
  return { workspaceId: scope.workspaceId, row };
}
