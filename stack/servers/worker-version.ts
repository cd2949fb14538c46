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

type Version = { connection: Connection; namespace: string; version: WorkerDeploymentVersion };

/**
 * Makes the workers of a version the ones that get all new tasks, as soon as they have asked for tasks of every queue of ours: the
 * server itself demands only queues that are in use. Idempotent.
 * @throws StackError if there is no version in the settings, or its workers do not come within `timeoutMs`
 */
export async function promoteWorkerVersion(temporal: TemporalSettings, timeoutMs: number): Promise<void> {
  const { namespace, workerVersion: version } = temporal;
  if (version === null) throw new StackError('Set LOCI_WORKER_DEPLOYMENT and LOCI_WORKER_BUILD_ID of the new workers.');
  const connection = await Connection.connect(temporalConnection(temporal));
  const deadline = Date.now() + timeoutMs;
  const attempt = () =>
    connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => promote({ connection, namespace, version }));
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
  const { connection, namespace, version } = options;
  try {
    const missing = await unservedQueues(options);
    if (missing.length > 0) {
      const reason = `none of them has taken ${missing.join(', ')}. Start workers that list these in LOCI_WORKER_QUEUES.`;
      return { isPassing: true, reason };
    }
    await connection.workflowService.setWorkerDeploymentCurrentVersion({ namespace, ...version, identity: IDENTITY });
    return null;
  } catch (cause) {
    const isPassing = cause instanceof Error && 'code' in cause && NOT_YET.has(cause.code);
    return { isPassing, reason: reasonOf(cause), cause };
  }
}

/** The queues, by the names of the settings, whose tasks no worker of the version has ever asked for. */
async function unservedQueues({ connection, namespace, version }: Version): Promise<string[]> {
  const { versionTaskQueues } = await connection.workflowService.describeWorkerDeploymentVersion({
    namespace,
    deploymentVersion: version,
  });
  return Object.entries(TASK_QUEUES).flatMap(([queue, name]) =>
    versionTaskQueues.some((served) => served.name === name && Number(served.type) === taskTypeOf(name)) ? [] : [queue],
  );
}
