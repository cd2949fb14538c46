import { attemptDelivery, sendingRules, type WebhookServices } from './attempt-delivery.ts';

/** First attempts at the same time, of all receivers together. */
const AT_ONCE = 32;

export type WebhookSender = {
  /** Begins to send what is due, as far as there is room; waits only for room. Returns 0 when there was nothing to do. */
  sendDue(): Promise<number>;
  /** Waits for what is under way. */
  settle(): Promise<void>;
};

/**
 * Sends first attempts, many at a time, without a workflow. A receiver that takes its time holds up nobody: it has a few places
 * at most, and whoever is done makes room at once. Safe in several processes; what one took and did not finish before it died
 * is taken again when its lease is over.
 */
export function createWebhookSender(services: WebhookServices): WebhookSender {
  const underWay = new Set<Promise<void>>();
  return {
    async sendDue() {
      if (underWay.size >= AT_ONCE) await Promise.race(underWay);
      const rules = sendingRules(services.webhooks);
      const taken = await services.stores.webhookSystem.takeDue(rules, AT_ONCE - underWay.size);
      for (const delivery of taken) {
        const sending = attemptDelivery(services, delivery)
          .then(() => undefined)
          .catch((error: unknown) => {
            const { id, workspace_id } = delivery;
            services.log.warn(
              { error, workspace_id, delivery_id: id },
              'what came of a webhook could not be written down',
            );
          })
          .finally(() => underWay.delete(sending));
        underWay.add(sending);
      }
      return taken.length;
    },
    settle: async () => {
      await Promise.allSettled(underWay);
    },
  };
}
