import { randomUUID } from 'node:crypto';
import test from 'ava';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { NO_OUTCOME } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnNamespace } from '#test/support/harness/own-namespace.ts';

const BATCHES = 12;

for (const { title, plan, expected } of [
  { title: 'as many batches of an upload are at work as its plan says', plan: { at_once: 10 }, expected: 10 },
  { title: 'four batches are at work where a plan from before says nothing', plan: {}, expected: 4 },
]) {
  test(title, async (t) => {
    const batches = Array.from({ length: BATCHES }, () => ({ content_ids: [randomUUID()], downloads: false }));
    const gate = Promise.withResolvers<void>();
    const now = { running: 0, most: 0 };
    const ingestSlice = async ({ content_ids: ids }: Batch) => {
      now.running += 1;
      now.most = Math.max(now.most, now.running);
      await gate.promise;
      now.running -= 1;
      return { more: [], paused: [], stale: [], chunks: 0, ended: { ...NO_OUTCOME, ready: ids.length } };
    };
    const planBatches = async (request: { heeds_at_once?: boolean }) => {
      t.true(request.heeds_at_once, 'a workflow that obeys the number says so');
      return { batches, next: null, ...plan };
    };
    const { client } = await openOwnNamespace(t, {
      workflows: { planBatches, settleRun: async () => undefined },
      ingest: { ingestSlice },
    });
    const uploadId = randomUUID();
    const args = { workspace_id: randomUUID(), collection_id: randomUUID(), upload_id: uploadId, contents: BATCHES };
    const handle = await client.workflow.start('ingestUploadV2', {
      workflowId: `ingest-upload/${uploadId}`,
      taskQueue: TASK_QUEUES.workflows,
      args: [args],
    });
    await eventually('the batches are at work', async () => now.running === expected);
    gate.resolve();
    t.like(await handle.result(), { ready: BATCHES, failed: 0 });
    t.is(now.most, expected);
  });
}
