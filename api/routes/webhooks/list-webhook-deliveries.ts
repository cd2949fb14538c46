import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { listWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  webhook_id: Id.optional().meta({ description: 'Webhook of the deliveries.' }),
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Status of the deliveries.' }),
  event_type: z.enum(WEBHOOK_EVENT_TYPES).optional().meta({ description: 'Type of the events that are delivered.' }),
  limit: pageLimit({ max: 1000, standard: 100 }),
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
