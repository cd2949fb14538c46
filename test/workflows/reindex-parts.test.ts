import { randomUUID } from 'node:crypto';
import test from 'ava';
import { REINDEX_PARTS, type ReindexSliceArgs } from '#domain/index/reindex-job.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnNamespace } from '#test/support/harness/own-namespace.ts';

const PROGRESS = { contents: 0, total_contents: 9, memories: 0, total_memories: 0 };

test('the parts of a reindexing are written at the same time, each until its end', async (t) => {
  const gate = Promise.withResolvers<void>();
  const slices: (number | undefined)[] = [];
  const reindexSlice = async ({ part }: ReindexSliceArgs) => {
    slices.push(part?.number);
    if (slices.length <= REINDEX_PARTS) await gate.promise;
    // The last part needs two time slices.
    return part?.number === REINDEX_PARTS - 1 && slices.length <= REINDEX_PARTS ? PROGRESS : null;
  };
  const { client } = await openOwnNamespace(t, {
    upkeep: {
      beginReindexing: async () => PROGRESS,
      followMemories: async () => null,
      completeReindexing: async () => undefined,
    },
    index: { reindexSlice },
  });
  const args = { workspace_id: randomUUID(), reindexing_id: randomUUID() };
  const handle = await client.workflow.start('reindexWorkspace', {
    workflowId: `reindex/${args.reindexing_id}`,
    taskQueue: TASK_QUEUES.workflows,
    args: [args],
  });
  await eventually('all parts are at work', async () => slices.length === REINDEX_PARTS);
  gate.resolve();
  await handle.result();
  t.is(new Set(slices.slice(0, REINDEX_PARTS)).size, REINDEX_PARTS);
  t.deepEqual(slices.slice(REINDEX_PARTS), [REINDEX_PARTS - 1]);
});
