import { WebhookDeliveryDetail } from '#domain/records/webhook-delivery.ts';
import { getWebhookDelivery } from '#operations/webhooks/webhook-deliveries.ts';
import { route } from '#api/http/route.ts';
import { DeliveryParams } from '#api/routes/path-params.ts';

export const getWebhookDeliveryRoute = route(
  {
    method: 'get',
    path: '/webhook-deliveries/{delivery_id}',
    tag: 'Webhooks',
    summary: 'Get a webhook delivery',
    description:
      'Returns a delivery with its attempts and its payload. Also requires the permission to read what the event reports.',
    permission: 'webhooks:read',
    params: DeliveryParams,
    response: WebhookDeliveryDetail,
    extension: true,
  },
  async ({ services, caller, params }) => getWebhookDelivery(services, caller, params.delivery_id),
);
