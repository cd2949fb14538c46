import type { Webhook, WorkspaceWebhookSecret } from '#domain/records/webhook.ts';
import type { WebhookDelivery } from '#domain/records/webhook-delivery.ts';
import { CREATED, EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import { eventExamples } from './event-examples.ts';
import { lastBoundedPageOf, lastPageOf, type OperationExample } from './operation-example.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const NEW_SECRET = 'whsec_plJ3nmyCDGBKInavdOK15jsl2mJ8W0pYc3plJ3nmyCA=';
const OVERLAP_ENDS = '2026-03-03T09:15:04.000Z';

const webhook: Webhook = {
  id: exampleIds.webhook,
  workspace_id: exampleIds.workspace,
  url: 'https://example.com/loci',
  description: 'Tells the editors',
  events: ['upload.completed', 'content.failed'],
  collections: null,
  max_age_seconds: null,
  batch_size: 50,
  status: 'active',
  disabled_reason: null,
  delivery_state: 'ok',
  failing_since: null,
  next_attempt_at: null,
  pending_deliveries: 0,
  secret: null,
  previous_secret_expires_at: null,
  created_by: EXAMPLE_KEY,
  created_at: CREATED,
  updated_at: CREATED,
};

const delivery: WebhookDelivery = {
  id: exampleIds.delivery,
  workspace_id: exampleIds.workspace,
  webhook_id: exampleIds.webhook,
  url: 'https://example.com/loci',
  event_type: 'upload.completed',
  status: 'delivered',
  status_message: null,
  attempts: [{ number: 1, started_at: CREATED, finished_at: UPDATED, status_code: 204, error: null }],
  next_attempt_at: null,
  created_at: CREATED,
  updated_at: UPDATED,
};
const waiting: WebhookDelivery = { ...delivery, status: 'pending', attempts: [], updated_at: CREATED };

const secret: WorkspaceWebhookSecret = {
  workspace_id: exampleIds.workspace,
  secret: SECRET,
  previous_secret_expires_at: null,
  created_at: CREATED,
  updated_at: CREATED,
};

/** Examples of the operations on webhooks. */
export const webhookExamples = {
  createWebhook: {
    body: {
      url: 'https://example.com/loci',
      description: 'Tells the editors',
      events: ['upload.completed', 'content.failed'],
      batch_size: 50,
    },
    response: { ...webhook, secret: SECRET },
  },
  listWebhooks: { response: lastPageOf(webhook) },
  getWebhook: { response: webhook },
  updateWebhook: {
    body: { events: ['upload.completed'], status: 'active' },
    response: { ...webhook, events: ['upload.completed'], updated_at: UPDATED },
  },
  testWebhook: { response: { ...waiting, event_type: 'webhook.test' } },
  rotateWebhook: {
    response: { ...webhook, secret: NEW_SECRET, previous_secret_expires_at: OVERLAP_ENDS, updated_at: UPDATED },
  },
  listWebhookDeliveries: { response: lastBoundedPageOf(delivery) },
  getWebhookDelivery: {
    response: {
      ...delivery,
      payload: eventExamples['upload.completed'],
    },
  },
  redeliverWebhook: { response: waiting },
  getWebhookSecret: { response: secret },
  rotateWebhookSecret: {
    response: { ...secret, secret: NEW_SECRET, previous_secret_expires_at: OVERLAP_ENDS, updated_at: UPDATED },
  },
} satisfies Record<string, OperationExample>;
