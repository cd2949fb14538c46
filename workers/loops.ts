import { setTimeout as delay } from 'node:timers/promises';
import { finishConversationDeletions } from '#operations/conversations/finish-conversation-deletions.ts';
import { dispatchOutbox } from '#operations/jobs/dispatch-outbox.ts';
import { deactivateIdleTenants, watchTenants } from '#operations/index/deactivate-idle-tenants.ts';
import { sweepDroppedTenants } from '#operations/index/sweep-dropped-tenants.ts';
import { clearOtherSpace } from '#operations/memories/clear-other-space.ts';
import { createMemoryProjector } from '#operations/memories/memory-projector.ts';
import { removeMemoryResidues } from '#operations/memories/remove-memory-residues.ts';
import { reconcileOutbox } from '#operations/jobs/reconcile-outbox.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { purgeWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { endOverdueDeliveries } from '#operations/webhooks/end-overdue-deliveries.ts';
import type { WebhookServices } from '#operations/webhooks/webhook-services.ts';
import type { Services } from '#operations/services.ts';
import { sendDueWakeUps } from '#operations/jobs/wake-ups.ts';
import { sweepTemporaryFiles } from '#operations/blobs/sweep-temporary-files.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { createMaintenance } from './maintenance.ts';

/**
 * The periodic tasks of the worker besides workflows. Each is safe to run in several processes at once. Those that claim their
 * work share it between the processes; maintenance is done by one of them.
 */
export type Loops = { stop(): Promise<void> };

type Loop = {
  name: string;
  everyMs: number;
  /** The work is another process's while this returns false. */
  isOurs?: () => boolean;
  work: () => Promise<number | void>;
};

const RENEW_LEASE_MS = 2_000;
/** How soon a process notices that it has the lease now. */
const ASK_LEASE_MS = 500;

/** A loop may be waiting for a server or walking a disk. It can be interrupted at any time, because its work is repeatable. */
const STOP_TIMEOUT_MS = 5_000;
const COMPRESSION_PURGE_BATCH_SIZE = 100;
const PURGE_BATCH_SIZE = 1_000;
/** Whoever asked for a deletion has seen by then that it ended. */
const RECEIPT_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
/** A million is shown as this many: more of them say nothing else. */
const MAX_COUNTED_DELIVERIES = 100_000;
const MAX_COUNTED_CHANGES = 100_000;

/** Starts the loops. A loop that found work runs again at once, otherwise after its interval. A failure is logged. */
export function startLoops(services: WebhookServices): Loops {
  const stopping = new AbortController();
  const webhooks = createWebhookSender(services);
  const memories = createMemoryProjector(services);
  const maintenance = createMaintenance(services);
  const shared: Loop[] = [
    { name: 'maintenance', everyMs: RENEW_LEASE_MS, work: () => maintenance.renew() },
    { name: 'outbox', everyMs: 1_000, work: () => dispatchOutbox(services) },
    { name: 'wake-ups', everyMs: 2_000, work: () => sendDueWakeUps(services) },
    { name: 'backlog', everyMs: 10_000, work: () => measureBacklog(services) },
    { name: 'residues', everyMs: 3_000, work: () => removeResidues(services) },
    { name: 'memories', everyMs: 1_000, work: () => memories.projectNext() },
    { name: 'memory spaces', everyMs: 1_000, work: () => clearOtherSpace(services) },
    { name: 'memory residues', everyMs: 1_000, work: () => removeMemoryResidues(services) },
    { name: 'webhooks', everyMs: 500, work: () => webhooks.sendNext() },
    { name: 'temporary files', everyMs: 3_600_000, work: () => sweepTemporaryFiles(services) },
    { name: 'webhook backlog', everyMs: 30_000, work: () => measureWebhooks(services) },
  ];
  const single: Loop[] = [
    { name: 'reconcile', everyMs: 15_000, work: () => reconcileOutbox(services) },
    { name: 'tenants', everyMs: 10_000, work: () => sweepDroppedTenants(services) },
    { name: 'idle tenants', everyMs: 30_000, work: () => deactivateIdleTenants(services) },
    { name: 'watched tenants', everyMs: 1_800_000, work: () => watchTenants(services) },
    { name: 'compressions', everyMs: 60_000, work: () => purgeCompressions(services) },
    { name: 'counts', everyMs: 1_000, work: async () => Number(await services.stores.system.foldCounts()) },
    { name: 'count check', everyMs: 60_000, work: () => checkCounts(services) },
    { name: 'stored responses', everyMs: 60_000, work: () => purgeResponses(services) },
    { name: 'conversations', everyMs: 30_000, work: () => finishConversationDeletions(services) },
    { name: 'receipts', everyMs: 600_000, work: () => purgeReceipts(services) },
    { name: 'webhook upkeep', everyMs: 2_000, work: () => endOverdueDeliveries(services) },
    { name: 'webhook log', everyMs: 600_000, work: () => purgeWebhookDeliveries(services) },
    { name: 'blobs', everyMs: 3_600_000, work: () => sweepUnusedBlobs(services) },
  ];
  const loops = [...shared, ...single.map((loop) => ({ ...loop, isOurs: () => maintenance.isHeld() }))];
  const running = loops.map((loop) => runLoop(services, loop, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      const ended = Promise.all(running).then(() =>
        Promise.all([webhooks.drain(), memories.drain(), maintenance.release()]),
      );
      await Promise.race([ended, delay(STOP_TIMEOUT_MS)]);
    },
  };
}

async function runLoop(services: Services, loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (loop.isOurs?.() === false) {
      await pause(ASK_LEASE_MS, signal);
      continue;
    }
    let found = 0;
    try {
      found = (await loop.work()) ?? 0;
    } catch (error) {
      services.log.warn({ error, component: loop.name }, 'a loop failed; it runs again after its interval');
    }
    if (found === 0) await pause(loop.everyMs, signal);
  }
}

/** Ends early when the signal aborts. */
async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await delay(durationMs, undefined, { signal }).catch(() => undefined);
}

async function purgeResponses({ stores }: Services): Promise<number> {
  return stores.system.purgeIdempotencyKeys(PURGE_BATCH_SIZE);
}

async function purgeReceipts({ stores }: Services): Promise<number> {
  return stores.system.purgeDeletions(RECEIPT_RETENTION_MS, PURGE_BATCH_SIZE);
}

/** Counts are kept by triggers in the transactions that change them. A difference is an error of this code, or of an operator. */
async function checkCounts({ stores, log }: Services): Promise<void> {
  const checked = await stores.system.checkCounts();
  if (checked && checked.corrections > 0)
    log.warn({ ...checked }, 'the counts of a collection were wrong and are corrected');
}

async function purgeCompressions({ stores }: Services): Promise<number> {
  return stores.system.purgeCompressions(COMPRESSION_PURGE_BATCH_SIZE);
}

async function measureBacklog(services: Services): Promise<void> {
  const { rows, oldestAgeMs } = await services.stores.system.outboxBacklog();
  services.metrics.setOutboxBacklog(rows, oldestAgeMs);
  services.metrics.setCountBacklog(await services.stores.system.countBacklog(MAX_COUNTED_CHANGES));
}

async function measureWebhooks(services: Services): Promise<void> {
  services.metrics.setWebhookBacklog(await services.stores.webhookUpkeep.backlog(MAX_COUNTED_DELIVERIES));
}

async function sweepUnusedBlobs(services: Services): Promise<void> {
  const count = await sweepBlobs(services);
  if (count > 0) services.log.info({ count }, 'unused files were deleted');
}
