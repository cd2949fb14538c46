import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import test from 'ava';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { NO_OUTCOME } from '#domain/uploads/batch-outcome.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { loadWorkflowBundle } from '#workers/workflow-bundle.ts';

const stack = testStack();

test('a local step that fails is repeated as an ordinary activity, which waits for what is away', async (t) => {
  const { address } = stack.temporal;
  const namespace = `local-steps-${randomUUID()}`;
  await prepareNamespace({ address, namespace });
  const calls = { local: 0, ordinary: 0 };
  const fail = async () => {
    calls.local += 1;
    throw new Error('the database does not answer');
  };
  const answer =
    <Result>(result: Result) =>
    async () => {
      calls.ordinary += 1;
      // The first attempt of the ordinary activity fails, too.
      if (calls.ordinary === 1) throw new Error('the database still does not answer');
      return result;
    };
  const connection = await NativeConnection.connect({ address });
  const workflowWorker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUES.workflows,
    workflowBundle: await loadWorkflowBundle(stack.environment['LOCI_CACHE_DIR'] ?? ''),
    activities: { planBatches: fail, settleRun: fail },
    enableNonLocalActivities: false,
  });
  const upkeepWorker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUES.upkeep,
    activities: { planBatches: answer({ batches: [], next: null }), settleRun: answer(undefined) },
  });
  const running = [workflowWorker.run(), upkeepWorker.run()];
  const clientConnection = await Connection.connect({ address });
  const client = new Client({ connection: clientConnection, namespace });
  const args = {
    workspace_id: randomUUID(),
    collection_id: randomUUID(),
    upload_id: randomUUID(),
    contents: 0,
    edition: 2,
  };
  const outcome = await client.workflow.execute('ingestUploadV2', {
    workflowId: `ingest-upload/${args.upload_id}`,
    taskQueue: TASK_QUEUES.workflows,
    args: [args],
  });
  t.deepEqual(outcome, NO_OUTCOME);
  t.deepEqual(calls, { local: 2, ordinary: 3 });
  for (const worker of [workflowWorker, upkeepWorker]) worker.shutdown();
  await Promise.all(running);
  await Promise.all([connection.close(), clientConnection.close()]);
});
