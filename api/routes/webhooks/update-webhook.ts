import { UpdateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { updateWebhook } from '#operations/webhooks/update-webhook.ts';
import { route } from '#api/http/route.ts';
import { WebhookParams } from '#api/routes/path-params.ts';

export const updateWebhookRoute = route(
  {
    method: 'patch',
    path: '/webhooks/{webhook_id}',
    tag: 'Webhooks',
    summary: 'Update a webhook',
    description:
      'Changes only the fields that are sent. Open deliveries go to the new URL, at once; when the webhook is disabled, they ' +
      'end as `failed`, thousands of them soon after.',
    permission: 'webhooks:write',
    params: WebhookParams,
    body: UpdateWebhookRequest,
    response: Webhook,
    extension: true,
  },
  async ({ services, caller, params, body }) =>
    updateWebhook(services, caller, { id: params.webhook_id, fields: body }),
);
