import { v7 as uuidv7 } from 'uuid';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import type { Services } from '#operations/services.ts';

/** Notes, in the transaction that gives them something to look at, which workflows are to be woken. */
export async function enqueueWakeUps(
  stores: Pick<Stores, 'wakeUps'>,
  scope: Scope,
  workflowIds: readonly (string | null)[],
): Promise<WakeUp[]> {
  const ids = [...new Set(workflowIds)].filter((id) => id !== null);
  const wakes = ids.map((id) => ({ workflow_id: id, wake_id: uuidv7() }));
  await stores.wakeUps.add(scope, wakes);
  return wakes;
}

/**
 * Wakes workflows that wait, e.g. after a resume or a cancel, without making the caller wait. Row state decides what they do. A signal
 * that fails is no loss: the worker's loop sends it.
 */
export function sendWakeUps(services: Services, wakes: readonly WakeUp[]): void {
  if (wakes.length === 0) return;
  signalWorkflows(services, wakes).catch((error: unknown) => {
    services.log.warn({ error }, 'that workflows were woken could not be noted; they will be once more');
  });
}

async function signalWorkflows({ jobs, stores, log }: Services, wakes: readonly WakeUp[]): Promise<void> {
  const signals = await Promise.allSettled(wakes.map((wake) => jobs.signal(wake.workflow_id, 'wake')));
  const sent = wakes.filter((_, index) => signals[index]?.status === 'fulfilled');
  if (sent.length > 0) await stores.wakeUps.remove(sent);
  const failure = signals.find((signal) => signal.status === 'rejected');
  if (!failure) return;
  const count = wakes.length - sent.length;
  log.warn({ error: failure.reason, count }, 'workflows could not be woken at once; the loop will');
}

/** Whoever noted them has this long to send them. */
const OWN_TIME_MS = 2_000;

const WAKES_AT_ONCE = 100;

/** Wakes workflows that were to be woken by a process that died, or while Temporal was away. Returns how many there were. */
export async function sendDueWakeUps(services: Services): Promise<number> {
  const due = await services.stores.system.claimDueWakeUps(OWN_TIME_MS, WAKES_AT_ONCE);
  if (due.length > 0) await signalWorkflows(services, due);
  return due.length;
}
