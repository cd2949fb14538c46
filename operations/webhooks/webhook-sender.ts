import { attemptDelivery, receiverLimits, type WebhookServices } from './attempt-delivery.ts';

/** First attempts that run at the same time, for all receivers together. */
const CONCURRENCY = 32;

export type WebhookSender = {
  /** Starts sending due deliveries up to the concurrency limit; waits only for a free slot. Returns how many it started. */
  sendDue(): Promise<number>;
  /** Waits until the attempts that are running have ended. */
  drain(): Promise<void>;
};

/**
 * Makes the first attempt of deliveries, many at a time, without a workflow. A slow receiver does not delay the others: each
 * receiver has a few slots, and every finished attempt frees its slot at once. Several processes may do this at the same time;
 * a delivery that a process claimed and did not finish before it died is claimed again when its lease expires.
 */
export function createWebhookSender(services: WebhookServices): WebhookSender {
  const running = new Set<Promise<void>>();
  return {
    async sendDue() {
      if (running.size >= CONCURRENCY) await Promise.race(running);
      const limits = receiverLimits(services.webhooks);
      const claimed = await services.stores.webhookQueue.claimDue(limits, CONCURRENCY - running.size);
      for (const delivery of claimed) {
        const sending = attemptDelivery(services, delivery)
          .then(() => undefined)
          .catch((error: unknown) => {
            const { id, workspace_id } = delivery;
            services.log.warn(
              { error, workspace_id, delivery_id: id },
              'the result of a webhook attempt could not be recorded',
            );
          })
          .finally(() => running.delete(sending));
        running.add(sending);
      }
      return claimed.length;
    },
    drain: async () => {
      await Promise.allSettled(running);
    },
  };
}
