import type { WebhookEvent, WebhookEventType } from '#domain/webhooks/webhook-events.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';

/** Larger results are fetched by their id. */
const MAX_DATA_BYTES = 64 * 1024;

/**
 * Tells the webhooks that are subscribed to an event of it. To be called with the stores of the transaction that makes the
 * event true: the deliveries are committed with it, and the worker sends them.
 */
export async function announceEvent(
  stores: Pick<Stores, 'webhookEvents'>,
  scope: Scope,
  event: WebhookEvent,
): Promise<void> {
  requireSmall(event);
  await stores.webhookEvents.announce(scope, [event]);
}

/**
 * The same for the `webhook_url` of one request, whose deliveries are signed with the secret of the workspace. `url` is
 * checked before (`WebhookUrl` of `domain/records/webhook.ts`). Returns the id of the delivery.
 */
export async function announceTo(
  stores: Pick<Stores, 'webhookEvents'>,
  scope: Scope,
  event: { url: string; type: WebhookEventType; data: Readonly<Record<string, unknown>> },
): Promise<string> {
  requireSmall(event);
  return stores.webhookEvents.announceTo(scope, { ...event, origin: new URL(event.url).origin });
}

function requireSmall({ type, data }: Pick<WebhookEvent, 'type' | 'data'>): void {
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > MAX_DATA_BYTES) throw new Error(`the data of a ${type} has ${bytes} bytes, more than a webhook carries`);
}
