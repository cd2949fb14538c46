import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import type { Caller, Principal } from '#domain/access/caller.ts';
import type { ServiceFacts } from '#domain/records/access/service-facts.ts';
import type { QueueBacklog } from '#domain/task-queues.ts';
import type { Services } from './services.ts';

/** Who asks watches, and wants to know what does not answer. */
const PATIENCE_MS = 3_000;

/**
 * Returns what concerns the whole service: versions, backlogs, settings without secrets. Each part that does not answer soon is null.
 * @throws AppError `forbidden` for those who do not operate it.
 */
export async function getServiceFacts(services: Services, principal: Principal): Promise<ServiceFacts> {
  if (principal !== 'administrator' && !isOperator(services, principal)) {
    throw new AppError(
      'forbidden',
      'This concerns all workspaces of the service. It needs a key with every permission of a workspace that LOCI_OPERATOR_WORKSPACES names, or the administrator token.',
    );
  }
  const { stores, jobs, vectors, operation } = services;
  const [postgres, temporal, weaviate, backlogs] = await Promise.all([
    orNull(stores.system.serverVersion()),
    orNull(jobs.serverVersion()),
    orNull(vectors.version()),
    orNull(jobs.backlogs()),
  ]);
  return {
    versions: { loci: operation.version, node: process.versions.node, postgres, temporal, weaviate },
    temporal_ui: operation.temporalUi,
    queues: backlogs?.map(toQueue) ?? null,
    settings: operation.settings.map((setting) => ({ ...setting })),
  };
}

/** True for a caller that may do everything in the whole of a workspace that operates the service. */
export function isOperator({ operation }: Services, { permissions, scope }: Caller): boolean {
  const isUnlimited = permissions.includes('*') && scope.collectionIds === null;
  return isUnlimited && operation.operatorWorkspaces.includes(scope.workspaceId);
}

function toQueue({ queue, tasks, oldestAgeMs, pollers }: QueueBacklog) {
  return { name: queue, waiting: tasks, oldest_age_seconds: oldestAgeMs / 1000, workers: pollers };
}

async function orNull<Value>(value: Promise<Value>): Promise<Value | null> {
  const answered = new AbortController();
  try {
    return await Promise.race([value, delay(PATIENCE_MS, null, { signal: answered.signal })]);
  } catch {
    return null;
  } finally {
    answered.abort();
  }
}
