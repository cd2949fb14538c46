import type { Caller } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';
import { webhookNotFound } from './webhook-access.ts';

const DELETED_MESSAGE = 'The webhook was deleted before this was delivered.';

/** Deletes a webhook. Its open deliveries end as `failed`; all of them stay in the log. @throws AppError `not_found`. */
export async function deleteWebhook(services: Services, caller: Caller, id: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    if (!(await stores.webhooks.delete(caller.scope, id))) throw webhookNotFound();
    await stores.webhookAttempts.endOpen(caller.scope, id, { message: DELETED_MESSAGE });
  });
}
