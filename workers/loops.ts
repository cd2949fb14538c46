import { setTimeout as delay } from 'node:timers/promises';
import { dispatchOutbox } from '#operations/jobs/dispatch-outbox.ts';
import { sweepDroppedTenants } from '#operations/index/sweep-dropped-tenants.ts';
import { projectMemories } from '#operations/memories/project-memories.ts';
import { reconcileOutbox } from '#operations/jobs/reconcile-outbox.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { purgeWebhookDeliveries } from '#operations/webhooks/webhook-deliveries.ts';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import type { WebhookServices } from '#operations/webhooks/attempt-delivery.ts';
import type { Services } from '#operations/services.ts';
import { sendDueWakeUps } from '#operations/jobs/wake-ups.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';

/** What the worker does all the time beside workflows. Each is safe to run in several processes at once. */
export type Loops = { stop(): Promise<void> };

type Loop = { name: string; everyMs: number; work: () => Promise<number | void> };

/** A loop may wait for a server that is away, or walk a disk: whatever it does may be broken off and is done again. */
const STOP_MS = 5_000;
const PURGED_AT_ONCE = 100;

/** Starts the loops; one that fails is logged and goes on after its pause. One that found work goes on at once. */
export function startLoops(services: WebhookServices): Loops {
  const stopping = new AbortController();
  const webhooks = createWebhookSender(services);
  const loops: Loop[] = [
    { name: 'outbox', everyMs: 1_000, work: () => dispatchOutbox(services) },
    { name: 'wakes', everyMs: 2_000, work: () => sendDueWakeUps(services) },
    { name: 'backlog', everyMs: 10_000, work: () => measureBacklog(services) },
    { name: 'reconcile', everyMs: 15_000, work: () => reconcileOutbox(services) },
    { name: 'residues', everyMs: 3_000, work: () => removeResidues(services) },
    { name: 'memories', everyMs: 1_000, work: () => projectMemories(services) },
    { name: 'tenants', everyMs: 10_000, work: () => sweepDroppedTenants(services) },
    { name: 'compressions', everyMs: 60_000, work: () => services.stores.system.purgeCompressions(PURGED_AT_ONCE) },
    { name: 'webhooks', everyMs: 500, work: () => webhooks.sendDue() },
    { name: 'webhook log', everyMs: 600_000, work: () => purgeWebhookDeliveries(services) },
    { name: 'blobs', everyMs: 3_600_000, work: () => sweepAlone(services) },
  ];
  const running = loops.map((loop) => run(services, loop, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.race([Promise.all(running).then(() => webhooks.drain()), delay(STOP_MS)]);
    },
  };
}

async function run(services: Services, loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let found = 0;
    try {
      found = (await loop.work()) ?? 0;
    } catch (error) {
      services.log.warn({ error, component: loop.name }, 'a loop failed; it goes on after its pause');
    }
    if (found === 0) await delay(loop.everyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function measureBacklog(services: Services): Promise<void> {
  const { rows, oldestAgeMs } = await services.stores.system.outboxBacklog();
  services.metrics.setOutboxBacklog(rows, oldestAgeMs);
}

async function sweepAlone(services: Services): Promise<void> {
  const count = await sweepBlobs(services);
  if (count > 0) services.log.info({ count }, 'unused files were removed');
}
