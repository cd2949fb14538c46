import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { listWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { CursorQueryField, queryInteger } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  webhook_id: Id.optional(),
  status: z.enum(DELIVERY_STATUSES).optional(),
  event_type: z.enum(WEBHOOK_EVENT_TYPES).optional(),
  limit: queryInteger({ min: 1, max: 1000 }).default(100),
  cursor: CursorQueryField,
});

export const listWebhookDeliveriesRoute = route(
  {
    method: 'get',
    path: '/webhook-deliveries',
    tag: 'Webhooks',
    summary: 'List webhook deliveries',
    description:
      'Lists deliveries with their attempts, newest first. Finished deliveries are kept for 30 days, unless the server is configured otherwise.',
    permission: 'webhooks:read',
    query: Query,
    response: WebhookDeliveryList,
    extension: true,
  },
  async ({ services, caller, query }) => listWebhookDeliveries(services, caller, query),
);
