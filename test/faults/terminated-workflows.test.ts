import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { batchWorkflowId, uploadWorkflowId } from '#domain/uploads/ingest-jobs.ts';
import { openBehindTheApi, type BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { idsOf, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const { worker } = stack.processes;
let behind: BehindTheApi;
let temporal: Connection;

test.before(async () => {
  behind = openBehindTheApi(stack);
  temporal = await Connection.connect({ address: stack.temporal.address });
});
test.after.always(async () => {
  await behind.close();
  await temporal.close();
});
test.afterEach.always('the worker runs again', () => worker.start());

/** Terminates a workflow like an operator in the Temporal UI. The workflow may not have been started yet, hence the retries. */
async function terminate(workflowId: string): Promise<void> {
  const { workflow } = new Client({ connection: temporal, namespace: stack.temporal.namespace });
  const handle = workflow.getHandle(workflowId);
  await eventually(`workflow ${workflowId} is terminated`, () => handle.terminate('by a test').then(() => true));
}

/** Polls while making the upkeep due, which would otherwise take minutes. */
async function eventuallyWithUpkeep<Value>(
  flow: Flow,
  what: string,
  ask: () => Promise<Value | null | false>,
): Promise<Value> {
  return eventually(what, async () => {
    await behind.makeDue(flow.workspaceId);
    return ask();
  });
}

async function expectFailureAndRetry(flow: Flow, id: string): Promise<string> {
  const failed = await eventuallyWithUpkeep(flow, 'the content failed', async () => {
    const content = await flow.content(id);
    return content.status === 'failed' ? content : null;
  });
  const retried = await flow.control(`/contents/${id}/retry`);
  if (retried.status !== 200) throw new Error(`the retry answered ${retried.status}`);
  await eventuallyWithUpkeep(flow, 'the content is ready', async () => (await flow.content(id)).status === 'ready');
  return failed.status_message ?? '';
}

test.serial('contents of an upload whose workflow was terminated fail and can be retried', async (t) => {
  const flow = await startFlow();
  await worker.stop();
  const upload = await flow.send(['content', 'The orchard was sold in March.']);
  await terminate(uploadWorkflowId(upload.upload_id ?? ''));
  await worker.start();
  t.regex(await expectFailureAndRetry(flow, idsOf(upload)[0]), /workflow ended .*retry/i);
});

test.serial('contents of a batch whose workflow was terminated fail and can be retried', async (t) => {
  const flow = await startFlow();
  await worker.stop();
  const upload = await flow.send(['content', 'The mill burnt down in June.']);
  const { status } = await flow.control(`/uploads/${upload.upload_id}/pause`);
  t.is(status, 200);
  await worker.start();
  await terminate(batchWorkflowId(upload.upload_id ?? '', 0));
  t.regex(await expectFailureAndRetry(flow, idsOf(upload)[0]), /operator ended .*retry/i);
  t.is((await flow.progress(upload.upload_id)).status, 'completed');
});

test.serial(
  'cancelling the workflow of a batch fails its contents, and the rest of the upload continues',
  async (t) => {
    const flow = await startFlow();
    await worker.stop();
    // Too large for one batch together.
    const big = 'The ferry left without the mail. '.repeat(140_000);
    const upload = await flow.send(['files', new File([big], 'one.txt')], ['files', new File([big], 'two.txt')]);
    const [first, second = ''] = idsOf(upload);
    t.is((await flow.control(`/uploads/${upload.upload_id}/pause`)).status, 200);
    await worker.start();
    const { workflow } = new Client({ connection: temporal, namespace: stack.temporal.namespace });
    const handle = workflow.getHandle(batchWorkflowId(upload.upload_id ?? '', 0));
    await eventually('the first batch is cancelled', () => handle.cancel().then(() => true));
    const failed = await eventuallyWithUpkeep(flow, 'one content failed', async () => {
      const both = await Promise.all([first, second].map((id) => flow.content(id)));
      return both.find((content) => content.status === 'failed') ?? null;
    });
    t.regex(failed.status_message ?? '', /operator ended .*retry/i);
    const rest = first === failed.id ? second : first;
    t.is((await flow.control(`/contents/${rest}/cancel`)).status, 200);
    await eventuallyWithUpkeep(
      flow,
      'the upload is over',
      async () => (await flow.progress(upload.upload_id)).status === 'completed_with_errors',
    );
    const whole = workflow.getHandle(uploadWorkflowId(upload.upload_id ?? ''));
    await t.notThrowsAsync(whole.result(), 'the upload itself was not cancelled');
  },
);

test.serial('a deletion whose workflow was terminated still completes with a receipt', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(['content', 'The lamp oil ran out.']));
  await worker.stop();
  const accepted = await flow.api.get(`/contents/${id}`, DeletionAccepted, { method: 'DELETE', status: 202 });
  await terminate(`delete-content/${accepted.deletion_id}`);
  await worker.start();
  const receipt = await eventuallyWithUpkeep(flow, 'the receipt is complete', async () => {
    const deletion = await flow.api.get(`/deletions/${accepted.deletion_id}`, Deletion);
    return deletion.status === 'completed' ? deletion : null;
  });
  t.like(receipt.removed, { contents: 1, chunks: 1, index_objects: 1 });
  const census = await eventuallyWithUpkeep(flow, 'nothing is left', async () => {
    const now = await takeCensus(behind, flow.workspaceId);
    return isSound(now) ? now : null;
  });
  t.deepEqual(problemsOf(census), []);
});
