/** What webhooks tell of. Imported by workflows: no zod, no I/O. */
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

/** What a webhook can subscribe to: a test goes to the one that is tested. */
export const SUBSCRIBABLE_EVENT_TYPES = WEBHOOK_EVENT_TYPES.filter((type) => type !== 'webhook.test');

/** An upload of a million files makes a million of these, so they go only to webhooks that name them. */
export function isOfSingleContents(type: WebhookEventType): boolean {
  return type.startsWith('content.');
}

/** One thing that became true. */
export type WebhookEvent = {
  type: WebhookEventType;
  /** Facts and ids, as JSON; of a large result the id that it is fetched by. */
  data: Readonly<Record<string, unknown>>;
  /** The collection it happened in: webhooks that are limited to others are not told. */
  collectionId?: string;
};

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed'] as const;
/** `pending` until the first attempt is over, `retrying` while a workflow makes the others. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
