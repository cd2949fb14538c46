import { Webhook } from '#domain/records/webhook.ts';
import { rotateWebhookSecret } from '#operations/webhooks/webhook-secrets.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { WebhookParams } from '#api/routes/path-params.ts';

export const rotateWebhookRoute = route(
  {
    method: 'post',
    path: '/webhooks/{webhook_id}/rotate',
    tag: 'Webhooks',
    summary: 'Rotate the secret of a webhook',
    description:
      'Only this response contains the new `secret`. For 24 hours, messages are also signed with the previous one. Also requires permission to read what the events of the webhook report.',
    permission: 'webhooks:write',
    params: WebhookParams,
    response: Webhook,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, idempotency }) => {
    const { status, body } = await rotateWebhookSecret(services, caller, { id: params.webhook_id, idempotency });
    return Reply.json(body, { status });
  },
);
