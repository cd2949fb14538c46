import type { EndMessages } from '#store/webhooks/webhook-upkeep.ts';
import { receiverLimits, type WebhookServices } from './webhook-services.ts';

export const GONE_MESSAGE = 'The receiver answered 410; the webhook is disabled.';
export const DELETED_MESSAGE = 'The webhook was deleted before this was delivered.';
export const DISABLED_MESSAGE = 'The webhook was disabled before this was delivered; enable it, then redeliver.';
export const UNREADABLE_MESSAGE =
  'The URL was changed by a caller who may not read this event, so it was not sent there. Redeliver it if it should be.';

const MESSAGES: EndMessages = {
  gone: GONE_MESSAGE,
  deleted: DELETED_MESSAGE,
  disabled: DISABLED_MESSAGE,
  max_age: 'The delivery became older than `max_age_seconds` of its webhook. Redeliver it if it still matters.',
  outage: 'The receiver was broken for as long as attempts are made. Redeliver it when the receiver works again.',
};

const BATCH_SIZE = 1_000;

/**
 * Ends a batch of the deliveries that will not be sent: of deleted and disabled webhooks, and those that are too old. Returns how
 * many, 0 when none is left.
 */
export async function endOverdueDeliveries(services: WebhookServices): Promise<number> {
  const { maxOutageMs } = receiverLimits(services.webhooks);
  const { webhookUpkeep } = services.stores;
  const ended = await webhookUpkeep.endOverdue({ messages: MESSAGES, maxOutageMs, maxCount: BATCH_SIZE });
  for (const { reason, count } of ended) {
    services.metrics.countEndedDeliveries(reason, count);
    services.log.info({ reason, count }, 'waiting webhook deliveries were ended');
  }
  if (ended.length === 0) await webhookUpkeep.clearDropped();
  return ended.reduce((sum, { count }) => sum + count, 0);
}
