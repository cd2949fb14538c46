import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { wakeReceiver } from './wake-receiver.ts';

/** More than a webhook with a working receiver ever has; what is left is ended in the background. */
const MAX_AT_ONCE = 1_000;

/**
 * Ends the open deliveries of a webhook that is disabled or deleted as `failed`: a limited number in the caller's transaction,
 * which has locked the webhook, and the others soon after. Returns wake-ups to send after the commit.
 */
export async function endOpenDeliveries(
  stores: Stores,
  scope: Scope,
  ending: { webhookId: string; message: string; exceptId?: string },
): Promise<WakeUp[]> {
  const { webhookId, ...rest } = ending;
  const wakeUps = await forgetReceiver(stores, scope, webhookId);
  const count = await stores.webhookAttempts.endOpen(scope, webhookId, { ...rest, maxCount: MAX_AT_ONCE });
  if (count === MAX_AT_ONCE) await stores.webhooks.dropQueued(scope, webhookId);
  return wakeUps;
}

/** Starts anew with a receiver: nothing is known about it. Returns a wake-up for the workflow that probes it, if there is one. */
export async function forgetReceiver(stores: Stores, scope: Scope, receiverId: string): Promise<WakeUp[]> {
  const before = await stores.webhookReceivers.lock(scope, receiverId);
  if (before === null) return [];
  await stores.webhookReceivers.forget(scope, receiverId);
  if (before.outage === null) return [];
  return wakeReceiver(stores, scope, { receiver_id: receiverId, outage: before.outage });
}
