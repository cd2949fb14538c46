import { setTimeout as delay } from 'node:timers/promises';
import { dispatchOutbox } from '#operations/jobs/dispatch-outbox.ts';
import { sweepDroppedTenants } from '#operations/index/sweep-dropped-tenants.ts';
import { projectMemories } from '#operations/memories/project-memories.ts';
import { reconcileOutbox } from '#operations/jobs/reconcile-outbox.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { purgeWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { endOverdueDeliveries } from '#operations/webhooks/end-overdue-deliveries.ts';
import type { WebhookServices } from '#operations/webhooks/webhook-services.ts';
import type { Services } from '#operations/services.ts';
import { sendDueWakeUps } from '#operations/jobs/wake-ups.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';

/** The periodic tasks of the worker besides workflows. Each is safe to run in several processes at once. */
export type Loops = { stop(): Promise<void> };

type Loop = { name: string; everyMs: number; work: () => Promise<number | void> };

/** A loop may be waiting for a server or walking a disk. It can be interrupted at any time, because its work is repeatable. */
const STOP_TIMEOUT_MS = 5_000;
const COMPRESSION_PURGE_BATCH_SIZE = 100;
/** A million is shown as this many: more of them say nothing else. */
const MAX_COUNTED_DELIVERIES = 100_000;

/** Starts the loops. A loop that found work runs again at once, otherwise after its interval. A failure is logged. */
export function startLoops(services: WebhookServices): Loops {
  const stopping = new AbortController();
  const webhooks = createWebhookSender(services);
  const loops: Loop[] = [
    { name: 'outbox', everyMs: 1_000, work: () => dispatchOutbox(services) },
    { name: 'wake-ups', everyMs: 2_000, work: () => sendDueWakeUps(services) },
    { name: 'backlog', everyMs: 10_000, work: () => measureBacklog(services) },
    { name: 'reconcile', everyMs: 15_000, work: () => reconcileOutbox(services) },
    { name: 'residues', everyMs: 3_000, work: () => removeResidues(services) },
    { name: 'memories', everyMs: 1_000, work: () => projectMemories(services) },
    { name: 'tenants', everyMs: 10_000, work: () => sweepDroppedTenants(services) },
    {
      name: 'compressions',
      everyMs: 60_000,
      work: () => services.stores.system.purgeCompressions(COMPRESSION_PURGE_BATCH_SIZE),
    },
    { name: 'webhooks', everyMs: 500, work: () => webhooks.sendNext() },
    { name: 'webhook upkeep', everyMs: 2_000, work: () => endOverdueDeliveries(services) },
    { name: 'webhook backlog', everyMs: 30_000, work: () => measureWebhooks(services) },
    { name: 'webhook log', everyMs: 600_000, work: () => purgeWebhookDeliveries(services) },
    { name: 'blobs', everyMs: 3_600_000, work: () => sweepUnusedBlobs(services) },
  ];
  const running = loops.map((loop) => runLoop(services, loop, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.race([Promise.all(running).then(() => webhooks.drain()), delay(STOP_TIMEOUT_MS)]);
    },
  };
}

async function runLoop(services: Services, loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let found = 0;
    try {
      found = (await loop.work()) ?? 0;
    } catch (error) {
      services.log.warn({ error, component: loop.name }, 'a loop failed; it runs again after its interval');
    }
    if (found === 0) await delay(loop.everyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function measureBacklog(services: Services): Promise<void> {
  const { rows, oldestAgeMs } = await services.stores.system.outboxBacklog();
  services.metrics.setOutboxBacklog(rows, oldestAgeMs);
}

async function measureWebhooks(services: Services): Promise<void> {
  services.metrics.setWebhookBacklog(await services.stores.webhookUpkeep.backlog(MAX_COUNTED_DELIVERIES));
}

async function sweepUnusedBlobs(services: Services): Promise<void> {
  const count = await sweepBlobs(services);
  if (count > 0) services.log.info({ count }, 'unused files were deleted');
}
