import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ExecutionContext } from 'ava';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { QueueName } from '#domain/worker-slots.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { loadWorkflowBundle } from '#workers/workflow-bundle.ts';
import { testStack } from './stack.ts';

type Steps = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * A namespace of Temporal whose workers run our workflows with the steps of a test, until the test ends. Steps of `workflows` are
 * local ones.
 */
export async function openOwnNamespace(
  t: ExecutionContext,
  steps: Partial<Record<QueueName, Steps>>,
): Promise<{ client: Client }> {
  const { temporal, environment } = testStack();
  const { address } = temporal;
  const namespace = `own-${randomUUID()}`;
  await prepareNamespace({ address, namespace });
  const connection = await NativeConnection.connect({ address });
  const { workflows = {}, ...others } = steps;
  const workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      taskQueue: TASK_QUEUES.workflows,
      workflowBundle: await loadWorkflowBundle(environment['LOCI_CACHE_DIR'] ?? ''),
      activities: workflows,
      enableNonLocalActivities: false,
    }),
    ...Object.entries(others).map(([queue, activities]) =>
      Worker.create({ connection, namespace, taskQueue: TASK_QUEUES[queue as QueueName], activities }),
    ),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  const clientConnection = await Connection.connect({ address });
  t.teardown(async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await Promise.all([connection.close(), clientConnection.close()]);
  });
  return { client: new Client({ connection: clientConnection, namespace }) };
}
