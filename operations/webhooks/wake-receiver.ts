import type { Scope } from '#domain/access/scope.ts';
import { deliverToReceiverId, type Outage } from '#domain/webhooks/webhook-jobs.ts';
import type { Stores } from '#store/stores.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import { enqueueWakeUps } from '#operations/jobs/wake-ups.ts';

/**
 * Wakes the workflow that probes a broken receiver, under the id that it has now: one that was started again has another. Returns
 * wake-ups to send after the commit.
 */
export async function wakeReceiver(
  stores: Stores,
  scope: Scope,
  outage: Omit<Outage, 'workspace_id'>,
): Promise<WakeUp[]> {
  const workflowId = await stores.outbox.findWorkflowId(scope, deliverToReceiverId(outage));
  return enqueueWakeUps(stores, scope, [workflowId]);
}
