import test from 'ava';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import {
  findRemainingProblems,
  countRowsOfCollection,
  findCollectionTenant,
} from '#test/support/fixtures/collection-traces.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { longFiles, longText, startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const { worker } = stack.processes;

test.afterEach.always('the worker runs again', () => worker.start());

test.serial('a collection deletion completes when the worker is killed repeatedly', async (t) => {
  const behind = openBehindTheApi(stack);
  t.teardown(() => behind.close());
  const flow = await startFlow();
  const { upload_id } = await flow.upload(...longFiles(30));
  const { chunks } = (await flow.progress(upload_id)).progress;
  // Still being ingested during the deletion, by a worker that is killed and may continue afterwards.
  await flow.send(['file', new File([longText(400)], 'late.txt')]);
  const tenantExists = await findCollectionTenant(behind, flow.collectionId);
  const path = `/collections/${flow.collectionId}`;
  const { deletion_id } = await flow.api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
  const receipt = () => flow.api.get(`/deletions/${deletion_id}`, Deletion);
  // Kills immediately, then when the deletion has begun, then at any later moment.
  const moments = [
    () => true,
    ({ status }: Deletion) => status !== 'pending',
    ({ status, removed }: Deletion) => status === 'completed' || removed.chunks > 0,
  ];
  for (const [number, isReached] of moments.entries()) {
    await eventually(`moment ${number}`, async () => isReached(await receipt()), { everyMs: 5 });
    await worker.signal('SIGKILL');
    await worker.start();
  }
  const done = await eventually('the receipt is complete', async () => {
    const now = await receipt();
    return now.status === 'completed' && now;
  });
  t.is(done.removed.contents, 31);
  t.true(done.removed.chunks >= chunks, `${done.removed.chunks} of at least ${chunks}`);
  t.true(done.removed.index_objects >= chunks, `${done.removed.index_objects} of at least ${chunks}`);
  t.deepEqual(await countRowsOfCollection(behind, flow.collectionId), {});
  t.false(await tenantExists());
  t.deepEqual(await findRemainingProblems(behind, flow), []);
});
