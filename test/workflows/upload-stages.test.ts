import { randomUUID } from 'node:crypto';
import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import test from 'ava';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { batchWorkflowId, uploadWorkflowId } from '#domain/uploads/ingest-jobs.ts';
import { groupFailures, NO_OUTCOME } from '#domain/uploads/batch-outcome.ts';
import { openOwnNamespace } from '#test/support/harness/own-namespace.ts';

const keyOf = (uploadId: string) => ({
  workspace_id: randomUUID(),
  collection_id: randomUUID(),
  upload_id: uploadId,
});

test('a batch tells its upload when contents have ended, and not again after time slices in which none has', async (t) => {
  const [ended, slow] = [randomUUID(), randomUUID()];
  const uploadId = randomUUID();
  let slices = 0;
  const ingestSlice = async () => {
    slices += 1;
    const more = slices <= 50 ? [slow] : [];
    const ready = slices === 1 || more.length === 0 ? 1 : 0;
    return { more, paused: [], stale: [], chunks: 1, ended: { ...NO_OUTCOME, ready } };
  };
  const planBatches = async () => ({ batches: [{ content_ids: [ended, slow], downloads: false }], next: null });
  const { client } = await openOwnNamespace(t, {
    workflows: { planBatches, settleRun: async () => undefined },
    ingest: { ingestSlice },
  });
  const outcome = await client.workflow.execute('ingestUploadV2', {
    workflowId: uploadWorkflowId(uploadId),
    taskQueue: TASK_QUEUES.workflows,
    args: [{ ...keyOf(uploadId), contents: 2 }],
  });
  t.like(outcome, { ready: 2 });
  t.is(slices, 51);
  const { events } = await client.workflow.getHandle(batchWorkflowId(uploadId, 0)).fetchHistory();
  const signals = events?.filter((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes);
  t.is(signals?.length, 1);
});

test('a batch goes on when the filters of one of its contents cannot be updated', async (t) => {
  const uploadId = randomUUID();
  const [stale, other] = [randomUUID(), randomUUID()];
  const ended = { ...NO_OUTCOME, ready: 1 };
  const slices = [
    { more: [other], paused: [], stale: [stale], chunks: 1, ended },
    { more: [], paused: [], stale: [], chunks: 1, ended },
  ];
  const failed: unknown[] = [];
  const planBatches = async () => ({ batches: [{ content_ids: [stale, other], downloads: false }], next: null });
  const { client } = await openOwnNamespace(t, {
    workflows: { planBatches, settleRun: async () => undefined },
    ingest: { ingestSlice: async () => slices.shift() },
    index: { reprojectContents: () => Promise.reject(ApplicationFailure.nonRetryable('No.', 'internal')) },
    upkeep: {
      failContents: async (batch: unknown) => void failed.push(batch),
      summarizeBatch: async () => ({ ...NO_OUTCOME, ready: 1, failed: 1 }),
    },
  });
  const outcome = await client.workflow.execute('ingestUploadV2', {
    workflowId: uploadWorkflowId(uploadId),
    taskQueue: TASK_QUEUES.workflows,
    args: [{ ...keyOf(uploadId), contents: 2 }],
  });
  t.like(outcome, { ready: 2, failed: 0 });
  t.deepEqual(failed, []);
});

test('the stage of a small upload says what has become of its contents', async (t) => {
  const uploadId = randomUUID();
  const [ready, failed] = [randomUUID(), randomUUID()];
  const failures = groupFailures([{ content_id: failed, code: 'no_text' }]);
  const outcome = { ...NO_OUTCOME, ready: 1, failed: 1, failures };
  const { client } = await openOwnNamespace(t, {
    workflows: {},
    express: { ingestExpress: async () => ({ outcome, is_complete: true, stale: [] }) },
  });
  const handle = await client.workflow.start('ingestUploadV2', {
    workflowId: uploadWorkflowId(uploadId),
    taskQueue: TASK_QUEUES.workflows,
    args: [{ ...keyOf(uploadId), contents: 2, express: [ready, failed] }],
  });
  t.deepEqual(await handle.result(), outcome);
  const { typedSearchAttributes } = await handle.describe();
  const stage = defineSearchAttributeKey('LociStage', SearchAttributeType.KEYWORD);
  t.is(typedSearchAttributes.get(stage), 'completed_with_errors');
});
