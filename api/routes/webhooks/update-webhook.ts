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
      'Changes only the fields that are sent. After a change of the URL, open deliveries are sent to the new one at once. When the ' +
      'webhook is disabled, they end as `failed`, of thousands the last ones within seconds.',
    permission: 'webhooks:write',
    params: WebhookParams,
    body: UpdateWebhookRequest,
    response: Webhook,
    extension: true,
  },
  async ({ services, caller, params, body }) =>
    updateWebhook(services, caller, { id: params.webhook_id, fields: body }),
);
