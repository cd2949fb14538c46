import { WebhookDelivery } from '#domain/records/webhook-delivery.ts';
import { redeliverWebhook } from '#operations/webhooks/webhook-deliveries.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { DeliveryParams } from '#api/routes/path-params.ts';

export const redeliverWebhookRoute = route(
  {
    method: 'post',
    path: '/webhook-deliveries/{delivery_id}/redeliver',
    tag: 'Webhooks',
    summary: 'Redeliver a webhook',
    description:
      'Sends a finished delivery again, with the same `webhook-id` and body, to the current URL of its webhook. Also requires permission to read what the event reports.',
    permission: 'webhooks:write',
    params: DeliveryParams,
    response: WebhookDelivery,
    status: 202,
    otherStatuses: { 409: 'It is still being delivered, or its webhook is deleted or disabled' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, idempotency }) => {
    const { status, body } = await redeliverWebhook(services, caller, { id: params.delivery_id, idempotency });
    return Reply.json(body, { status });
  },
);
