import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { addUsage, NO_USAGE, usageOf } from '#bench/actions/history-usage.ts';
import { idsOf, startFlow, type Entries, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const texts = (count: number): Entries =>
  Array.from({ length: count }, (_, number) => ['files', new File([`Text ${number} of oats.`], `${number}.txt`)]);

let connection: Connection;
test.before(async () => void (connection = await Connection.connect({ address: stack.temporal.address })));
test.after.always(() => connection.close());

/** The actions of all workflows of a flow, after they have ended. */
async function actionsOf({ workspaceId }: Flow) {
  const { workflow } = new Client({ connection });
  const found: { workflowId: string; isOpen: boolean }[] = await until(
    async () => {
      const executions: { workflowId: string; isOpen: boolean }[] = [];
      for await (const { workflowId, closeTime } of workflow.list({ query: `LociWorkspace = '${workspaceId}'` })) {
        executions.push({ workflowId, isOpen: closeTime === undefined });
      }
      return executions;
    },
    (executions) => executions.length > 0 && executions.every(({ isOpen }) => !isOpen),
  );
  const usages = await Promise.all(
    found.map(async ({ workflowId }) => usageOf(await workflow.getHandle(workflowId).fetchHistory())),
  );
  return usages.reduce(addUsage, NO_USAGE).actions;
}

test('a small upload is three actions: its start, one activity, and its last stage', async (t) => {
  const flow = await startFlow();
  t.is(idsOf(await flow.upload(...texts(2))).length, 2);
  t.deepEqual(await actionsOf(flow), {
    'workflow starts': 1,
    activities: 1,
    'local activities': 0,
    signals: 0,
    upserts: 1,
    timers: 0,
  });
});

test('bulk work plans, counts and completes within its workflow tasks: one activity per time slice', async (t) => {
  const flow = await startFlow();
  await flow.upload(...texts(21));
  const actions = await actionsOf(flow);
  t.deepEqual(
    { ...actions, activities: 1 },
    // Its start, that of its batch by the workflow, and that of the batch itself; the stages running, and the last two.
    { 'workflow starts': 3, activities: 1, 'local activities': 2, signals: 0, upserts: 3, timers: 0 },
  );
  t.true(actions.activities <= 2);
});
