import { AppError } from '#domain/app-error.ts';
import type { Webhook } from '#domain/records/webhook.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { WebhookDelivery } from '#domain/records/webhook-delivery.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { sendWakeUps } from '#operations/jobs/wake-ups.ts';
import type { Services } from '#operations/services.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { probeSoon } from './probe-receiver.ts';
import { webhookNotFound } from './webhook-access.ts';
import { findDelivery, toDelivery } from './webhook-deliveries.ts';

/**
 * Queues a `webhook.test` event for a webhook, whatever events it subscribes to. A broken receiver is tried at once.
 * @throws AppError `not_found`, `conflict` when the webhook is disabled.
 */
export async function testWebhook(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<WebhookDelivery>> {
  const { id: webhookId, idempotency } = request;
  let wakeUps: readonly WakeUp[] = [];
  const answer = await withIdempotency(services, caller, {
    route: `POST /webhooks/${webhookId}/test`,
    idempotency,
    effect: async (stores) => {
      // Locked, so that it cannot be deleted before the event is queued.
      const webhook = await stores.webhooks.lock(caller.scope, webhookId);
      if (!webhook) throw webhookNotFound();
      requireActive(webhook);
      const event = { webhookId, type: 'webhook.test' as const, data: { webhook_id: webhookId } };
      const id = await stores.webhookEvents.announceToWebhook(caller.scope, event);
      wakeUps = await probeSoon(stores, caller.scope, webhookId);
      return { status: 202, body: toDelivery(await findDelivery(stores, caller, id)) };
    },
  });
  sendWakeUps(services, wakeUps);
  return answer;
}

function requireActive(webhook: Webhook): void {
  if (webhook.status === 'active') return;
  throw new AppError('conflict', 'This webhook is disabled. Enable it first, with PATCH and `status: active`.');
}
