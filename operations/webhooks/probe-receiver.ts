import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import type { Outage, ProbeOutcome } from '#domain/webhooks/webhook-jobs.ts';
import type { Stores } from '#store/stores.ts';
import type { ClaimedDelivery } from '#store/webhooks/webhook-queue.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { wakeReceiver } from './wake-receiver.ts';
import { receiverLimits, type WebhookServices } from './webhook-services.ts';

type Prepared = { kind: 'over' } | { kind: 'wait'; waitMs: number } | { kind: 'send'; probe: ClaimedDelivery };

/**
 * Sends the delivery that has waited longest to a receiver whose circuit is open, when its pause is over. The step of the workflow
 * `deliverToReceiver`.
 */
export async function probeReceiver(
  services: WebhookServices,
  { is_woken: isWoken, ...outage }: Outage & { is_woken: boolean },
): Promise<ProbeOutcome> {
  const scope = workspaceScope(outage);
  const prepared = await services.stores.transaction((stores) => prepare({ ...services, stores }, outage, isWoken));
  if (prepared.kind === 'over') return { status: 'over', status_code: null, wait_ms: 0 };
  if (prepared.kind === 'wait') return { status: 'failing', status_code: null, wait_ms: prepared.waitMs };
  const status_code = await attemptDelivery(services, prepared.probe, { isProbe: true });
  const after = await services.stores.transaction((stores) => stores.webhookReceivers.lockOutage(scope, outage));
  return after === null
    ? { status: 'over', status_code, wait_ms: 0 }
    : { status: 'failing', status_code, wait_ms: after.wait_ms };
}

/** Claims the probe, while the receiver is locked. */
async function prepare(services: WebhookServices, outage: Outage, isWoken: boolean): Promise<Prepared> {
  const { stores } = services;
  const scope = workspaceScope(outage);
  const found = await stores.webhookReceivers.lockOutage(scope, outage);
  if (found === null) return { kind: 'over' };
  if (found.wait_ms > 0 && !isWoken) return { kind: 'wait', waitMs: found.wait_ms };
  const { leaseMs } = receiverLimits(services.webhooks);
  const claim = { leaseMs, isWoken };
  const { probe, busy_ms: busyMs } = await stores.webhookQueue.claimProbe(scope, outage.receiver_id, claim);
  if (busyMs > 0) return { kind: 'wait', waitMs: busyMs };
  if (probe !== null) return { kind: 'send', probe };
  // The workers' loop sends what becomes due next.
  await stores.webhookReceivers.halfOpen(scope, outage);
  return { kind: 'over' };
}

/** Ends the pause of a receiver, if it has one. Returns wake-ups to send after the commit. */
export async function probeSoon(stores: Stores, scope: Scope, receiverId: string): Promise<WakeUp[]> {
  const outage = await stores.webhookReceivers.endPause(scope, receiverId);
  if (outage === null) return [];
  return wakeReceiver(stores, scope, { receiver_id: receiverId, outage });
}
