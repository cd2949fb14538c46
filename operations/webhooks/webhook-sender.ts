import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { receiverLimits, type WebhookServices } from './webhook-services.ts';

/** Attempts that run at the same time, for all receivers together. */
const CONCURRENCY = 32;
/** The others stay free for other workspaces, however many slow receivers one has. */
const MAX_OF_WORKSPACE = 24;
/** While all running attempts are slow, deliveries to other receivers are looked for this often. */
const POLL_MS = 500;
/** Ended attempts are collected for this long, so that one claim serves several of them. */
const CLAIM_EVERY_MS = 20;

export type WebhookSender = {
  /** Starts sending due deliveries up to the concurrency limit; waits only for a free slot. Returns how many it started. */
  sendDue(): Promise<number>;
  /**
   * Like `sendDue`; then waits for the next attempt to end, so that its receiver gets the next delivery at once. Returns 0 when
   * there is nothing to do.
   */
  sendNext(): Promise<number>;
  /** Waits until the attempts that are running have ended. */
  drain(): Promise<void>;
};

/**
 * Sends due deliveries, many at a time, without a workflow: first attempts and retries. A slow receiver does not delay the others:
 * each receiver has a few slots, and every finished attempt frees its slot at once. Several processes may do this at the same
 * time; a delivery that a process claimed and did not finish before it died is claimed again when its lease expires.
 */
export function createWebhookSender(services: WebhookServices): WebhookSender {
  const running = new Map<Promise<void>, ClaimedDelivery>();
  const limits = receiverLimits(services.webhooks);
  const start = (claimed: ClaimedDelivery) => {
    const sending = attemptDelivery(services, claimed, { isProbe: false })
      .then(() => undefined)
      .catch((error: unknown) => {
        const { id: delivery_id, workspace_id } = claimed;
        const message = 'the result of a webhook attempt could not be recorded';
        services.log.warn({ error, workspace_id, delivery_id }, message);
      })
      .finally(() => running.delete(sending));
    running.set(sending, claimed);
  };
  const sendDue = async () => {
    if (running.size >= CONCURRENCY) await Promise.race(running.keys());
    const counts = Object.entries(Object.groupBy(running.values(), ({ workspace_id: id }) => id));
    const claimed = await services.stores.webhookQueue.claimDue(limits, {
      maxCount: CONCURRENCY - running.size,
      running: Object.fromEntries(counts.map(([id, deliveries]) => [id, deliveries?.length ?? 0])),
      maxOfWorkspace: MAX_OF_WORKSPACE,
    });
    claimed.forEach(start);
    return claimed.length;
  };
  return {
    sendDue,
    async sendNext() {
      const count = await sendDue();
      if (count + running.size === 0) return 0;
      const waiting = new AbortController();
      const pause = delay(POLL_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([...running.keys(), pause]);
      waiting.abort();
      await delay(CLAIM_EVERY_MS);
      return 1;
    },
    drain: async () => {
      await Promise.allSettled(running.keys());
    },
  };
}
