import type { Caller } from '#domain/access/caller.ts';
import type { UpdateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { requireCollections } from '#operations/access/api-key-limits.ts';
import type { Services } from '#operations/services.ts';
import { requireEventAccess, webhookNotFound } from './webhook-access.ts';

const DISABLED_MESSAGE = 'The webhook was disabled before this was delivered; enable it, then redeliver.';

/**
 * Changes the fields that were sent. Open deliveries go to the new URL; when the webhook is disabled, they end as `failed`.
 * @throws AppError `not_found`, `forbidden` for events or collections that the caller may not read.
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
    const after = {
      url,
      origin: new URL(url).origin,
      description: fields.description === undefined ? before.description : fields.description,
      events: fields.events === undefined ? before.events : fields.events,
      collections: fields.collections === undefined ? before.collections : fields.collections,
      status,
      disabled_reason: status === 'active' ? null : (before.disabled_reason ?? ('request' as const)),
    };
    requireEventAccess(caller, before);
    requireEventAccess(caller, after);
    const updated = await stores.webhooks.update(scope, id, after);
    if (!updated) throw webhookNotFound();
    if (status === 'disabled') await stores.webhookAttempts.endOpen(scope, id, { message: DISABLED_MESSAGE });
    return updated;
  });
}
