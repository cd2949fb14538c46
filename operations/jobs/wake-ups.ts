import { v7 as uuidv7 } from 'uuid';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';
import type { WakeUp } from '#store/outbox/wake-ups.ts';
import type { Services } from '#operations/services.ts';

/** The process that adds a wake-up has this long to send it before the worker's loop does. */
const LOOP_DELAY_MS = 2_000;
const BATCH_SIZE = 100;

/**
 * Adds wake-ups for waiting workflows, in the transaction that changes what they wait for. Null and repeated ids are ignored.
 * Returns them for `sendWakeUps`, to be called after the commit.
 */
export async function enqueueWakeUps(
  stores: Pick<Stores, 'wakeUps'>,
  scope: Scope,
  workflowIds: readonly (string | null)[],
): Promise<WakeUp[]> {
  const ids = [...new Set(workflowIds)].filter((id) => id !== null);
  const wakeUps = ids.map((id) => ({ workflow_id: id, wake_id: uuidv7() }));
  await stores.wakeUps.add(scope, wakeUps);
  return wakeUps;
}

/**
 * Signals waiting workflows, for example after a resume or a cancel, in the background: the caller does not wait. The workflows
 * read from their rows what to do. A failed signal is sent again by the worker's loop.
 */
export function sendWakeUps(services: Services, wakeUps: readonly WakeUp[]): void {
  if (wakeUps.length === 0) return;
  signalWorkflows(services, wakeUps).catch((error: unknown) => {
    services.log.warn({ error }, 'sent wake-ups could not be removed; they will be sent once more');
  });
}

async function signalWorkflows({ jobs, stores, log }: Services, wakeUps: readonly WakeUp[]): Promise<void> {
  const results = await Promise.allSettled(wakeUps.map((wakeUp) => jobs.signal(wakeUp.workflow_id, 'wake')));
  const sent = wakeUps.filter((_, index) => results[index]?.status === 'fulfilled');
  if (sent.length > 0) await stores.wakeUps.remove(sent);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return;
  const count = wakeUps.length - sent.length;
  log.warn(
    { error: failure.reason, count },
    'workflows could not be signalled at once; the wake-up loop will signal them',
  );
}

/** Sends the wake-ups of processes that died, and those from when Temporal was unavailable. Returns how many were due. */
export async function sendDueWakeUps(services: Services): Promise<number> {
  const due = await services.stores.system.claimDueWakeUps(LOOP_DELAY_MS, BATCH_SIZE);
  if (due.length > 0) await signalWorkflows(services, due);
  return due.length;
}
