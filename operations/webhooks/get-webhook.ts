import type { Caller } from '#domain/access/caller.ts';
import type { Webhook } from '#domain/records/webhook.ts';
import type { Services } from '#operations/services.ts';
import { webhookNotFound } from './webhook-access.ts';

/** Returns a webhook, without its secret. @throws AppError `not_found`. */
export async function getWebhook(services: Services, caller: Caller, id: string): Promise<Webhook> {
  const found = await services.stores.webhooks.find(caller.scope, id);
  if (!found) throw webhookNotFound();
  return found;
}
