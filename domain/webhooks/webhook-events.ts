/** Types of the events that webhooks receive. Imported by workflows: no zod, no I/O. */
export const WEBHOOK_EVENT_TYPES = [
  'compress.completed',
  'compress.failed',
  'upload.completed',
  'content.ready',
  'content.failed',
  'connection.expired',
  'connection.error',
  'webhook.test',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Events that a webhook can subscribe to. A test event goes to the tested webhook only. */
export const SUBSCRIBABLE_EVENT_TYPES = WEBHOOK_EVENT_TYPES.filter((type) => type !== 'webhook.test');

/** Events that also go to the `webhook_url` of a request. */
export const URL_EVENT_TYPES: readonly WebhookEventType[] = ['compress.completed', 'compress.failed'];

/** True for events about single contents. An upload of a million files raises a million of them, so webhooks must name them. */
export function isContentEvent(type: WebhookEventType): boolean {
  return type.startsWith('content.');
}

export type WebhookEvent = {
  type: WebhookEventType;
  /** Facts and ids, as JSON. A large result is represented by the id that fetches it. */
  data: Readonly<Record<string, unknown>>;
  /** The collection that the event belongs to; webhooks that are limited to other collections do not receive it. */
  collectionId?: string;
};

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed'] as const;
/** `pending` until the first attempt has ended, `retrying` while a workflow makes further attempts. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
