import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import test from 'ava';
import type { ReembedProgress, ReembedSliceArgs } from '#domain/index/reembed-job.ts';
import { REINDEX_PARTS } from '#domain/index/reindex-job.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnNamespace } from '#test/support/harness/own-namespace.ts';

test('a re-embedding is stopped when all its parts have ended, and goes on where they were when it is resumed', async (t) => {
  const gate = Promise.withResolvers<void>();
  const events: string[] = [];
  const row: ReembedProgress = { status: 'pending', contents: 0, total_contents: 9, chunks: 0 };
  const become = (status: ReembedProgress['status']) => async () => {
    events.push(status);
    row.status = status;
    return { ...row };
  };
  let isBroken = true;
  const reembedSlice = async ({ part, after }: ReembedSliceArgs) => {
    if (isBroken && part.number === 0)
      throw ApplicationFailure.nonRetryable('The index rejected a request.', 'internal');
    if (isBroken) {
      await gate.promise;
      events.push('slice');
      return { ...row, after: { content: randomUUID(), version: 1, chunk: 0 } };
    }
    events.push(after === null ? 'from the start' : 'from there');
    return { ...row, after: null };
  };
  const { client } = await openOwnNamespace(t, {
    upkeep: {
      beginReembedding: become('building'),
      findReembedding: async () => ({ ...row }),
      stopReembedding: become('paused'),
      switchIndex: become('switched'),
      dropRetiredIndex: become('completed'),
      settleOutbox: async () => undefined,
    },
    index: { reembedSlice },
  });
  const args = { workspace_id: randomUUID(), collection_id: randomUUID(), reembedding_id: randomUUID() };
  const handle = await client.workflow.start('reembedCollection', {
    workflowId: `reembed/${args.reembedding_id}`,
    taskQueue: TASK_QUEUES.workflows,
    args: [args],
  });
  // When the workflow learns at once that a part has failed and that others have ended a time slice, these begin another one.
  await eventually('a part has failed, and the workflow has taken note of it', async () => {
    const { events: history = [] } = await handle.fetchHistory();
    const failedAt = history?.findIndex(({ activityTaskFailedEventAttributes: failed }) => failed) ?? -1;
    return failedAt >= 0 && history?.slice(failedAt).some(({ workflowTaskCompletedEventAttributes: done }) => done);
  });
  t.deepEqual(events, ['building']);
  gate.resolve();
  await eventually('it is paused', async () => row.status === 'paused');
  t.deepEqual(events, ['building', ...Array.from({ length: REINDEX_PARTS - 1 }, () => 'slice'), 'paused']);
  isBroken = false;
  row.status = 'pending';
  await handle.signal('wake');
  await eventually('it has switched', async () => row.status === 'switched');
  await handle.signal('drop_now');
  await handle.result();
  const resumed = events.slice(REINDEX_PARTS + 1);
  t.deepEqual(resumed.toSorted(), [
    'building',
    'completed',
    'from the start',
    ...Array.from({ length: REINDEX_PARTS - 1 }, () => 'from there'),
    'switched',
  ]);
});
