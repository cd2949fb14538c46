import type { Caller } from '#domain/access/caller.ts';
import type { Webhook, WebhookList } from '#domain/records/webhook.ts';
import type { Services } from '#operations/services.ts';
import { webhookNotFound } from './webhook-access.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import { paginate } from '#operations/paginate.ts';

/** Returns a webhook, without its secret. @throws AppError `not_found`. */
export async function getWebhook(services: Services, caller: Caller, id: string): Promise<Webhook> {
  const found = await services.stores.webhooks.find(caller.scope, id);
  if (!found) throw webhookNotFound();
  return found;
}

/** Returns a page of the webhooks that the caller can see, oldest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listWebhooks(
  services: Services,
  caller: Caller,
  query: { limit: number; cursor?: string | undefined },
): Promise<WebhookList> {
  const binding = { list: 'webhooks', filters: {} };
  const after = decodeTimeCursor(binding, query.cursor);
  const { webhooks } = services.stores;
  const [rows, totalCount] = await Promise.all([
    webhooks.list(caller.scope, { after, limit: query.limit }),
    webhooks.count(caller.scope),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.webhook.id],
  });
  return {
    data: page.map((row) => row.webhook),
    total_count: totalCount,
    ...next,
  };
}
