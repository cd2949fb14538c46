import type { WebhookEvent, WebhookEventType } from '#domain/webhooks/webhook-events.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';

/** Events that concern a larger result carry its id instead; the receiver fetches it. */
const MAX_DATA_BYTES = 64 * 1024;

/**
 * Queues an event for every active webhook of the workspace that subscribes to its type. Use it for all events of the
 * workspace; for a `webhook_url` that one request named, use `announceToUrl`.
 *
 * Call it with the stores of the transaction that makes the event true: the deliveries are committed with it, and the worker
 * sends them.
 */
export async function announceEvent(
  stores: Pick<Stores, 'webhookEvents'>,
  scope: Scope,
  event: WebhookEvent,
): Promise<void> {
  requireSmallData(event);
  await stores.webhookEvents.announce(scope, [event]);
}

/**
 * Queues an event for the `webhook_url` of one request, whatever the workspace's webhooks subscribe to. Use it for requests
 * that name their own receiver (`POST /compress`); for everybody else use `announceEvent`.
 *
 * The delivery is signed with the secret of the workspace and committed with the caller's transaction. `url` must have been
 * validated (`WebhookUrl` of `domain/records/webhook.ts`). Returns the id of the delivery.
 */
export async function announceToUrl(
  stores: Pick<Stores, 'webhookEvents'>,
  scope: Scope,
  event: { url: string; type: WebhookEventType; data: Readonly<Record<string, unknown>> },
): Promise<string> {
  requireSmallData(event);
  return stores.webhookEvents.announceToUrl(scope, { ...event, origin: new URL(event.url).origin });
}

function requireSmallData({ type, data }: Pick<WebhookEvent, 'type' | 'data'>): void {
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > MAX_DATA_BYTES) {
    throw new Error(`the data of a ${type} event has ${bytes} bytes; a webhook carries at most ${MAX_DATA_BYTES}`);
  }
}
