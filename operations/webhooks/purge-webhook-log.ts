import type { WebhookServices } from './attempt-delivery.ts';

const AT_ONCE = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes deliveries that have been over for longer than the log is kept. Returns how many, 0 when none is left. */
export async function purgeWebhookLog(services: WebhookServices): Promise<number> {
  return services.stores.webhookSystem.purge(services.webhooks.keptDays * DAY_MS, AT_ONCE);
}
