import { WebhookDelivery } from '#domain/records/webhook-delivery.ts';
import { testWebhook } from '#operations/webhooks/test-webhook.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { WebhookParams } from '#api/routes/path-params.ts';

export const testWebhookRoute = route(
  {
    method: 'post',
    path: '/webhooks/{webhook_id}/test',
    tag: 'Webhooks',
    summary: 'Test a webhook',
    description:
      'Sends a `webhook.test` event, whatever events the webhook subscribes to. The delivery shows the result.',
    permission: 'webhooks:write',
    params: WebhookParams,
    response: WebhookDelivery,
    status: 202,
    otherStatuses: { 409: 'The webhook is disabled' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, idempotency }) => {
    const { status, body } = await testWebhook(services, caller, { id: params.webhook_id, idempotency });
    return Reply.json(body, { status });
  },
);
