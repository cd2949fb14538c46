import { z } from 'zod';
import { WebhookList } from '#domain/records/webhook.ts';
import { listWebhooks } from '#operations/webhooks/webhooks.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({ limit: pageLimit({ max: 1000, standard: 100 }), cursor: CursorQueryField });

export const listWebhooksRoute = route(
  {
    method: 'get',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Lists webhooks without their secrets, oldest first.',
    permission: 'webhooks:read',
    query: Query,
    response: WebhookList,
    extension: true,
  },
  async ({ services, caller, query }) => listWebhooks(services, caller, query),
);
