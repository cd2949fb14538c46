/**
 * Runs every scenario on the running stack and checks the workflow histories. `npm run histories` runs this file to record a new
 * set of histories.
 */
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import test from 'ava';
import { startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { leaksOf } from './canaries.ts';
import { replay, startRecordingSet, toRecorded, type Recording } from './recording.ts';
import type { Scenario, WorkflowType } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const stack = testStack();
const isRecording = process.env['LOCI_TEST_HISTORIES'] === 'record';
const secrets = Object.entries(stack.environment)
  .filter(([name]) => /KEY|PEPPER|TOKEN|PASSWORD|SECRET|DATABASE_URL/.test(name))
  .map(([, value]) => value);

let connection: Connection;
let keep: (recording: Recording) => Promise<void> = async () => {};
test.before(async () => {
  connection = await Connection.connect({ address: stack.temporal.address });
  if (isRecording) keep = await startRecordingSet();
});
test.after.always(() => connection.close());

type Run = { type: WorkflowType; recording: Recording };

/** Waits until a workspace has the expected workflows and all are closed, and returns their histories, oldest first. */
async function historiesOf(client: Client, workspaceId: string, scenario: Scenario): Promise<Run[]> {
  const wanted = Object.values(scenario.runs).reduce((sum, count) => sum + count, 0);
  const executions = await until(
    async () => {
      const list: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'type' | 'startTime' | 'closeTime'>[] = [];
      for await (const one of client.workflow.list({ query: `LociWorkspace = '${workspaceId}'` })) {
        const { workflowId, runId, type, startTime, closeTime } = one;
        list.push({ workflowId, runId, type, startTime, ...(closeTime && { closeTime }) });
      }
      return list;
    },
    (found) => found.length >= wanted && found.every(({ closeTime }) => closeTime !== undefined),
  );
  executions.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
  return Promise.all(
    executions.map(async ({ workflowId, runId, type }) => {
      const history = toRecorded(await client.workflow.getHandle(workflowId, runId).fetchHistory());
      // Workflow types that are not in the table of scenarios make the comparison of counts fail.
      return { type: type as WorkflowType, recording: { name: workflowId, history } };
    }),
  );
}

/** Returns the number of workflows by type, limited to the expected number for types that may run more often. */
function countsOf(runs: readonly Run[], { runs: wanted, orMore = [] }: Scenario): Partial<Record<string, number>> {
  const counts = Object.entries(Object.groupBy(runs, ({ type }) => type)).map(([type, list]) => {
    const most = orMore.find((open) => open === type) === undefined ? Infinity : wanted[type as WorkflowType];
    return [type, Math.min(list.length, most ?? 0)] as const;
  });
  return Object.fromEntries(counts);
}

for (const [name, scenario] of Object.entries(scenarios)) {
  if (scenario.isCostly && !isRecording) continue;
  test.serial(`the histories of "${name}" can be replayed and contain no user text`, async (t) => {
    const client = new Client({ connection, namespace: stack.temporal.namespace });
    const flow = await startFlow();
    await scenario.play(flow, client.workflow);
    const runs = await historiesOf(client, flow.workspaceId, scenario);
    t.deepEqual(countsOf(runs, scenario), { ...scenario.runs });
    for (const { type, recording } of runs) t.deepEqual(leaksOf(recording.history, [...secrets, flow.key]), [], type);
    t.deepEqual(await replay(runs.map(({ recording }) => recording)), []);
    for (const type of scenario.keep) {
      const all = runs.filter((run) => run.type === type);
      const run = scenario.isCostly ? all.at(-1) : all[0];
      if (!run) continue;
      const events = run.recording.history.events.map(({ eventType }) => eventType.replace(/^EVENT_TYPE_/, ''));
      for (const event of scenario.shows?.[type] ?? []) t.true(events.includes(event), `${type}: ${event}`);
      await keep({ name: `${type}-${name}`, history: run.recording.history });
    }
  });
}
