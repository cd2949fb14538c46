import test from 'ava';
import { Reindexing } from '#domain/records/reindexing.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { longFiles, startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findWorkspaceTenants } from '#test/support/fixtures/workspace-traces.ts';

const stack = testStack();
const { worker } = stack.processes;

test.afterEach.always('the worker runs again', () => worker.start());

test.serial('reindexing completes when the worker is killed, and counts each content once', async (t) => {
  const behind = openBehindTheApi(stack);
  t.teardown(() => behind.close());
  const flow = await startFlow();
  const { upload_id } = await flow.upload(...longFiles(30));
  const { chunks } = (await flow.progress(upload_id)).progress;
  for (const { space, tenant } of await findWorkspaceTenants(behind, flow.workspaceId))
    await behind.vectors.dropTenant(space, tenant);
  const path = `/workspaces/${flow.workspaceId}/reindex`;
  await flow.api.post(path, Reindexing, { status: 202 });
  const state = () => flow.api.get(path, Reindexing);
  for (const least of [0, 1, chunks / 2]) {
    await eventually(`${least} chunks are written`, async () => (await state()).chunks >= least, { everyMs: 5 });
    await worker.signal('SIGKILL');
    await worker.start();
  }
  const done = await eventually('it is completed', async () => {
    const now = await state();
    return now.status === 'completed' && now;
  });
  t.like(done, { total_contents: 30, contents: 30, chunks, skipped_contents: 0 });
  const census = await until(() => takeCensus(behind, flow.workspaceId), isSound);
  t.deepEqual(problemsOf(census), []);
  t.is(census.chunks, chunks);
});
