import { CreateWebhookRequest, Webhook } from '#domain/records/webhook.ts';
import { createWebhook } from '#operations/webhooks/create-webhook.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createWebhookRoute = route(
  {
    method: 'post',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Events are sent to its URL, signed as in Standard Webhooks. `secret` verifies the signatures; only this response contains ' +
      'it. The caller must have permission to read what the events report. An API key that expires or has an `ip_whitelist` gets 403, ' +
      'because the webhook would outlive these limits. A console session can create one if the key behind its sign-in link can.',
    permission: 'webhooks:write',
    body: CreateWebhookRequest,
    response: Webhook,
    status: 201,
    otherStatuses: { 409: 'The workspace has the maximum number of webhooks' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const { status, body: webhook } = await createWebhook(services, caller, { body, idempotency });
    return Reply.json(webhook, { status });
  },
);
