import type { Caller } from '#domain/access/caller.ts';
import { sendWakeUps } from '#operations/jobs/wake-ups.ts';
import type { Services } from '#operations/services.ts';
import { webhookNotFound } from './webhook-access.ts';
import { endOpenDeliveries } from './end-open-deliveries.ts';
import { DELETED_MESSAGE } from './end-overdue-deliveries.ts';

/**
 * Deletes a webhook. Its open deliveries end as `failed`, thousands of them soon after; all of them stay in the log.
 * @throws AppError `not_found`.
 */
export async function deleteWebhook(services: Services, caller: Caller, id: string): Promise<void> {
  const wakeUps = await services.stores.transaction(async (stores) => {
    if (!(await stores.webhooks.delete(caller.scope, id))) throw webhookNotFound();
    return endOpenDeliveries(stores, caller.scope, { webhookId: id, message: DELETED_MESSAGE });
  });
  sendWakeUps(services, wakeUps);
}
