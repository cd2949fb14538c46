import { WEBHOOK_MESSAGES } from '#domain/webhooks/webhook-messages.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '#domain/webhooks/webhook-events.ts';
import { eventExamples } from '#api/examples/event-examples.ts';
import type { SchemaCollection } from './openapi-schemas.ts';

const SENT_WHEN: Readonly<Record<WebhookEventType, string>> = {
  'upload.completed': 'An upload has no more work to do, whether its contents succeeded or failed',
  'content.ready': 'A content, or its new version, is searchable',
  'content.failed': 'A content could not be ingested',
  'connection.expired': 'A connection must be authorized again',
  'connection.error': 'The refresh of a connection keeps failing',
  'compress.completed': 'A compression job has completed',
  'compress.failed': 'A compression job has failed or was cancelled',
  'webhook.test': '`POST /webhooks/{webhook_id}/test` was called',
};

const DELIVERY = [
  'Signed and delivered at least once, as in Standard Webhooks: verify the signature over the raw body, and process each `webhook-id` only once.',
  'Answer with 2xx within 15 seconds. 410 disables the webhook; everything else is retried for three days.',
].join('\n');

const BATCHES =
  'A webhook with a `batch_size` over 1 gets the events of several contents in one message: `data` is then `{events: […]}`.';

const HEADERS = [
  { name: 'webhook-id', description: 'Id of the delivery, the same with every attempt', type: 'string' },
  { name: 'webhook-timestamp', description: 'Time of the attempt, in seconds since 1970-01-01 UTC', type: 'integer' },
  {
    name: 'webhook-signature',
    description: '`v1,<base64>`: HMAC-SHA-256 of `<id>.<timestamp>.<body>`; several values are separated by spaces',
    type: 'string',
  },
].map(({ type, ...header }) => ({ ...header, in: 'header', required: true, schema: { type } }));

/** Describes the requests that the service sends to webhooks, by the type of their event. */
export function describeWebhooks(schemas: SchemaCollection): Record<string, unknown> {
  return Object.fromEntries(
    WEBHOOK_EVENT_TYPES.map((type) => [type, { post: describeMessage(type, schemas) }] as const),
  );
}

function describeMessage(type: WebhookEventType, schemas: SchemaCollection): Record<string, unknown> {
  const schema = schemas.of(WEBHOOK_MESSAGES[type], 'output');
  return {
    summary: SENT_WHEN[type],
    description: type.startsWith('content.') ? `${DELIVERY}\n\n${BATCHES}` : DELIVERY,
    tags: ['Webhooks'],
    security: [],
    'x-loci-extension': true,
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema, example: eventExamples[type] } } },
    responses: {
      '2XX': { description: 'The message was received' },
      410: { description: 'The webhook is disabled, and nothing more is sent to it' },
    },
  };
}
