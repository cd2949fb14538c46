import { z } from 'zod';
import { deleteWebhook } from '#operations/webhooks/delete-webhook.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { WebhookParams } from '#api/routes/path-params.ts';

export const deleteWebhookRoute = route(
  {
    method: 'delete',
    path: '/webhooks/{webhook_id}',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook and its secret immediately. Open deliveries end as `failed`; the log stays.',
    permission: 'webhooks:delete',
    params: WebhookParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, caller, params }) => {
    await deleteWebhook(services, caller, params.webhook_id);
    return Reply.noContent();
  },
);
