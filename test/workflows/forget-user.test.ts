import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import test from 'ava';
import type { UserDeletionSteps } from '#domain/memories/user-deletion.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { loadWorkflowBundle } from '#workers/workflow-bundle.ts';

const stack = testStack();

test('a receipt is not completed while an object is left: it is removed and verified again', async (t) => {
  const { address } = stack.temporal;
  const namespace = `forget-user-${randomUUID()}`;
  await prepareNamespace({ address, namespace });
  const calls: string[] = [];
  const record = <Result>(name: string, result: () => Result) => {
    calls.push(name);
    return Promise.resolve(result());
  };
  let objects = 2;
  // A stalled worker writes the second object after the first removal.
  const activities: UserDeletionSteps = {
    removeUserMemories: () => record('rows', () => true),
    removeUserObjects: () =>
      record('objects', () => {
        objects -= 1;
        return null;
      }),
    verifyUserObjects: () => record('verify', () => ({ after: null, isAny: objects > 0 })),
    completeUserDeletion: () => record('complete', () => true),
  };
  const connection = await NativeConnection.connect({ address });
  const workers = [
    await Worker.create({
      connection,
      namespace,
      taskQueue: TASK_QUEUES.workflows,
      workflowBundle: await loadWorkflowBundle(stack.environment['LOCI_CACHE_DIR'] ?? ''),
    }),
    await Worker.create({ connection, namespace, taskQueue: TASK_QUEUES.upkeep, activities }),
  ];
  const running = workers.map((worker) => worker.run());
  const clientConnection = await Connection.connect({ address });
  const client = new Client({ connection: clientConnection, namespace });
  const args = { workspace_id: randomUUID(), deletion_id: randomUUID() };
  const workflowId = `forget-user/${args.deletion_id}`;
  await client.workflow.execute('forgetUser', { workflowId, taskQueue: TASK_QUEUES.workflows, args: [args] });
  t.deepEqual(calls, ['rows', 'objects', 'verify', 'rows', 'objects', 'verify', 'complete']);
  for (const worker of workers) worker.shutdown();
  await Promise.all(running);
  await Promise.all([connection.close(), clientConnection.close()]);
});
