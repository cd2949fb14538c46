import assert from 'node:assert/strict';
import type { WorkflowClient } from '@temporalio/client';
import { reembedWorkflowId } from '#domain/index/reembed-job.ts';
import { Reembedding } from '#domain/records/reindexing.ts';
import type { ReembeddingStatus } from '#domain/statuses.ts';
import { longText, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

const reach = (flow: Flow, wanted: ReembeddingStatus) =>
  until(
    () => flow.api.get(`/collections/${flow.collectionId}/reembed`, Reembedding),
    ({ status }) => status === wanted,
  );

async function start(flow: Flow, workflows: WorkflowClient, text = '') {
  await flow.upload(['content', `A ${CANARIES.text}. ${text}`]);
  const path = `/collections/${flow.collectionId}/reembed`;
  const { id } = await flow.api.post(path, Reembedding, { json: {}, status: 202 });
  return { path, workflow: workflows.getHandle(reembedWorkflowId(id)) };
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'embedder-changed': {
    runs: { ingestUploadV2: 1, reembedCollection: 1 },
    keep: ['reembedCollection'],
    shows: { reembedCollection: ['TIMER_STARTED', 'TIMER_CANCELED', 'WORKFLOW_EXECUTION_SIGNALED'] },
    play: async (flow, workflows) => {
      const { workflow } = await start(flow, workflows);
      await reach(flow, 'switched');
      await until(
        async () =>
          (await workflow.fetchHistory()).events?.some(({ timerStartedEventAttributes: timer }) => timer) ?? false,
        (isWaiting) => isWaiting,
      );
      await workflow.signal('drop_now');
      await reach(flow, 'completed');
    },
  },
  'embedder-change-cancelled': {
    runs: { ingestUploadV2: 1, reembedCollection: 1 },
    keep: ['reembedCollection'],
    shows: { reembedCollection: ['TIMER_STARTED', 'WORKFLOW_EXECUTION_SIGNALED'] },
    play: async (flow, workflows) => {
      // So much that these requests come before the switch.
      const { path, workflow } = await start(flow, workflows, longText(60));
      const control = async (action: string) => {
        const { status, body } = await flow.control(`${path}/${action}`);
        return [status, Reembedding.parse(body).status];
      };
      assert.deepEqual(await control('pause'), [200, 'paused']);
      await until(
        async () =>
          (await workflow.fetchHistory()).events?.some(({ timerStartedEventAttributes: timer }) => timer) ?? false,
        (isWaiting) => isWaiting,
      );
      assert.deepEqual(await control('resume'), [200, 'pending']);
      assert.deepEqual(await control('pause'), [200, 'paused']);
      assert.deepEqual(await control('cancel'), [200, 'cancelling']);
      await reach(flow, 'cancelled');
    },
  },
};

/** Scenarios of changed embedders, from `lexical` to the model of the stack; none on machines without a model. */
export const reembedScenarios: Readonly<Record<string, Scenario>> =
  testStack().environment['LOCI_EMBEDDER'] === 'local' ? SCENARIOS : {};
