import { Webhook } from '#domain/records/webhook.ts';
import { getWebhook } from '#operations/webhooks/webhooks.ts';
import { route } from '#api/http/route.ts';
import { WebhookParams } from '#api/routes/path-params.ts';

export const getWebhookRoute = route(
  {
    method: 'get',
    path: '/webhooks/{webhook_id}',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    permission: 'webhooks:read',
    params: WebhookParams,
    response: Webhook,
    extension: true,
  },
  async ({ services, caller, params }) => getWebhook(services, caller, params.webhook_id),
);
