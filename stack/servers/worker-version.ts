import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { TemporalSettings } from '#config/temporal-settings.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import { taskTypeOf } from '#workers/queue-backlogs.ts';
import { temporalConnection } from '#workers/temporal-connection.ts';

const POLL_MS = 1_000;
const CALL_TIMEOUT_MS = 10_000;
const IDENTITY = 'loci promote-worker';
/** gRPC status codes: the workers of the version have not reported yet, or do not serve every active queue of the current one. */
const NOT_YET: ReadonlySet<unknown> = new Set([5, 9]);

type Version = { connection: Connection; namespace: string; version: WorkerDeploymentVersion; isOlder: boolean };
/** `isOlder`: the version is of an older release, which may lack queues of the current one. */
type PromotionOptions = { timeoutMs: number; isOlder?: boolean };

/**
 * Makes the workers of a version the ones that get all new tasks, as soon as they have asked for tasks of every queue of ours: the
 * server itself demands only queues that are in use. An older version becomes the current one with the queues that it has: tasks of
 * others wait for workers that have them. Idempotent.
 * @throws StackError if there is no version in the settings, or its workers do not come within `timeoutMs`
 */
export async function promoteWorkerVersion(
  temporal: TemporalSettings,
  { timeoutMs, isOlder = false }: PromotionOptions,
): Promise<void> {
  const { namespace, workerVersion: version } = temporal;
  if (version === null) throw new StackError('Set LOCI_WORKER_DEPLOYMENT and LOCI_WORKER_BUILD_ID of the new workers.');
  const connection = await Connection.connect(temporalConnection(temporal));
  const deadline = Date.now() + timeoutMs;
  const attempt = () =>
    connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => promote({ connection, namespace, version, isOlder }));
  try {
    for (;;) {
      const obstacle = await attempt();
      if (obstacle === null) return;
      if (!obstacle.isPassing || Date.now() > deadline) {
        const { deploymentName, buildId } = version;
        throw new StackError(
          `The workers ${deploymentName} ${buildId} cannot become the current ones: ${obstacle.reason}`,
          { cause: obstacle.cause },
        );
      }
      await delay(POLL_MS);
    }
  } finally {
    await connection.close();
  }
}

type Obstacle = { isPassing: boolean; reason: string; cause?: unknown };

/** Promotes the version, or returns what is in the way. */
async function promote(options: Version): Promise<Obstacle | null> {
  const { connection, namespace, version, isOlder } = options;
  try {
    const missing = await unservedQueues(options);
    if (missing.length > 0) {
      const reason = `none of them has taken ${missing.join(', ')}. Start workers that list these in LOCI_WORKER_QUEUES.`;
      return { isPassing: true, reason };
    }
    const request = { namespace, ...version, identity: IDENTITY, ignoreMissingTaskQueues: isOlder };
    await connection.workflowService.setWorkerDeploymentCurrentVersion(request);
    return null;
  } catch (cause) {
    const isPassing = cause instanceof Error && 'code' in cause && NOT_YET.has(cause.code);
    return { isPassing, reason: reasonOf(cause), cause };
  }
}

/** The queues, by the names of the settings, whose tasks no worker of the version has ever asked for. */
async function unservedQueues({ connection, namespace, version, isOlder }: Version): Promise<string[]> {
  const { versionTaskQueues } = await connection.workflowService.describeWorkerDeploymentVersion({
    namespace,
    deploymentVersion: version,
  });
  const needed = isOlder ? { workflows: TASK_QUEUES.workflows } : TASK_QUEUES;
  return Object.entries(needed).flatMap(([queue, name]) =>
    versionTaskQueues.some((served) => served.name === name && Number(served.type) === taskTypeOf(name)) ? [] : [queue],
  );
}
