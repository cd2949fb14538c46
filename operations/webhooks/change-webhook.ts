import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { UpdateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { requireCollections } from '#operations/access/api-key-limits.ts';
import type { Services } from '#operations/services.ts';
import { requireTold, webhookNotFound } from './webhook-reach.ts';
import { newWebhookSecret } from './webhook-secrets.ts';

const DISABLED = 'The webhook was disabled before this was delivered; enable it, then redeliver.';
const DELETED = 'The webhook was deleted before this was delivered.';

/**
 * Changes the fields that were sent. What is still to be delivered goes to the new URL; what a disabled webhook was still to be
 * sent ends as failed.
 * @throws AppError `not_found`, `forbidden` for events that the caller may not read.
 */
export async function updateWebhook(
  services: Services,
  caller: Caller,
  change: { id: string; fields: UpdateWebhookRequest },
): Promise<Webhook> {
  const { id, fields } = change;
  const { scope } = caller;
  return services.stores.transaction(async (stores) => {
    const before = await stores.webhooks.lock(scope, id);
    if (!before) throw webhookNotFound();
    if (fields.collections) {
      const added = fields.collections.filter((each) => !before.collections?.includes(each));
      if (added.length > 0) await requireCollections({ ...services, stores }, caller, added);
    }
    const url = fields.url ?? before.url;
    const status = fields.status ?? before.status;
    const wanted = {
      url,
      origin: new URL(url).origin,
      description: fields.description === undefined ? before.description : fields.description,
      events: fields.events === undefined ? before.events : fields.events,
      collections: fields.collections === undefined ? before.collections : fields.collections,
      status,
      disabled_reason: status === 'active' ? null : (before.disabled_reason ?? ('request' as const)),
    };
    requireTold(caller, before);
    requireTold(caller, wanted);
    const changed = await stores.webhooks.update(scope, id, wanted);
    if (!changed) throw webhookNotFound();
    if (status === 'disabled') await stores.webhookAttempts.endOpen(scope, id, { message: DISABLED });
    return changed;
  });
}

/** Gives a webhook a new secret, in this answer and nowhere else; the one before signs as well for 24 hours. @throws AppError `not_found`. */
export async function rotateWebhook(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<Webhook>> {
  const { id, idempotency } = request;
  return withIdempotency(services, caller, {
    route: `POST /webhooks/${id}/rotate`,
    idempotency,
    effect: async (stores) => {
      const { plain, sealed } = newWebhookSecret(services, caller.scope, { webhookId: id });
      const rotated = await stores.webhooks.rotate(caller.scope, id, sealed);
      if (!rotated) throw webhookNotFound();
      return { status: 200, body: { ...rotated, secret: plain } };
    },
  });
}

/** Deletes a webhook; its deliveries stay in the log. @throws AppError `not_found`. */
export async function deleteWebhook(services: Services, caller: Caller, id: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    if (!(await stores.webhooks.delete(caller.scope, id))) throw webhookNotFound();
    await stores.webhookAttempts.endOpen(caller.scope, id, { message: DELETED });
  });
}

/** @throws AppError `conflict` for one that is disabled. */
export function requireActive(webhook: Webhook): void {
  if (webhook.status === 'active') return;
  throw new AppError('conflict', 'This webhook is disabled: enable it with PATCH and status active first.');
}
