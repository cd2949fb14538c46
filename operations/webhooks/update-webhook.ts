import type { Caller } from '#domain/access/caller.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { UpdateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { WEBHOOK_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { requireCollections } from '#operations/access/api-key-limits.ts';
import { sendWakeUps } from '#operations/jobs/wake-ups.ts';
import type { Services } from '#operations/services.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import type { Stores } from '#store/stores.ts';
import type { WebhookFields } from '#store/webhooks/webhooks.ts';
import { endOpenDeliveries, forgetReceiver } from './end-open-deliveries.ts';
import { DISABLED_MESSAGE, UNREADABLE_MESSAGE } from './end-overdue-deliveries.ts';
import { readableEventTypes, requireEventAccess, requireLastingAccess, webhookNotFound } from './webhook-access.ts';

/** Deliveries that go to a new URL in one statement: the first ones with the change, the others right after it. */
const MAX_AT_ONCE = 1_000;

/**
 * Changes the fields that were sent. Open deliveries go to the new URL, at once, except those that the caller may not read: they
 * end as `failed`. When the webhook is disabled, all of them do, thousands of them soon after.
 * @throws AppError `not_found`, `forbidden` for events or collections that the caller may not read, and for keys with limits that a
 *   webhook does not have.
 */
export async function updateWebhook(
  services: Services,
  caller: Caller,
  change: { id: string; fields: UpdateWebhookRequest },
): Promise<Webhook> {
  const { id, fields } = change;
  const { scope } = caller;
  const { webhook, wakeUps, isMoved } = await services.stores.transaction(async (stores) => {
    const before = await stores.webhooks.lock(scope, id);
    if (!before) throw webhookNotFound();
    if (fields.collections) {
      const added = fields.collections.filter((each) => !before.collections?.includes(each));
      if (added.length > 0) await requireCollections({ ...services, stores }, caller, added);
    }
    const after = fieldsAfter(before, fields);
    requireEventAccess(caller, before);
    requireEventAccess(caller, after);
    if (isGrant(fields)) await requireLastingAccess({ ...services, stores }, caller, after);
    const woken = await changeReceiver(stores, caller, { before, after });
    const updated = await stores.webhooks.update(scope, id, after);
    if (!updated) throw webhookNotFound();
    return { webhook: updated, wakeUps: woken, isMoved: after.url !== before.url };
  });
  sendWakeUps(services, wakeUps);
  if (isMoved) await requeueOthers(services, scope, webhook);
  return webhook;
}

/** True when a change says where to or what the webhook sends, or that it sends again. */
function isGrant({ url, events, collections, status }: UpdateWebhookRequest): boolean {
  return url !== undefined || events !== undefined || collections !== undefined || status === 'active';
}

function fieldsAfter(before: Webhook, fields: UpdateWebhookRequest): WebhookFields {
  const url = fields.url ?? before.url;
  const status = fields.status ?? before.status;
  return {
    url,
    origin: new URL(url).origin,
    description: fields.description === undefined ? before.description : fields.description,
    events: fields.events === undefined ? before.events : fields.events,
    collections: fields.collections === undefined ? before.collections : fields.collections,
    max_age_seconds: fields.max_age_seconds === undefined ? before.max_age_seconds : fields.max_age_seconds,
    batch_size: fields.batch_size ?? before.batch_size,
    status,
    disabled_reason: status === 'active' ? null : (before.disabled_reason ?? ('request' as const)),
  };
}

async function changeReceiver(
  stores: Stores,
  caller: Caller,
  { before, after }: { before: Webhook; after: WebhookFields },
): Promise<WakeUp[]> {
  const { id: webhookId } = before;
  const { scope } = caller;
  if (after.status === 'disabled') {
    return endOpenDeliveries(stores, scope, { webhookId, message: DISABLED_MESSAGE });
  }
  if (after.url === before.url) return [];
  const wakeUps = await forgetReceiver(stores, scope, webhookId);
  const types = readableEventTypes(caller);
  // All of them are looked at, which takes long when very many wait.
  if (types.length < WEBHOOK_EVENT_TYPES.length || scope.collectionIds !== null)
    await stores.webhookAttempts.endUnreadable(scope, webhookId, { types, message: UNREADABLE_MESSAGE });
  await stores.webhookAttempts.requeue(scope, webhookId, { changedAt: null, maxCount: MAX_AT_ONCE });
  return wakeUps;
}

/** Makes due what was left over, in small transactions. What an interruption leaves is sent when it is due anyway. */
async function requeueOthers({ stores }: Services, scope: Scope, { id, updated_at: at }: Webhook): Promise<void> {
  const batch = { changedAt: new Date(at), maxCount: MAX_AT_ONCE };
  while ((await stores.webhookAttempts.requeue(scope, id, batch)) === MAX_AT_ONCE);
}
