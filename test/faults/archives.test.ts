import test from 'ava';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { zipFile } from '#test/support/fixtures/zip-file.ts';

const stack = testStack();
const { worker, api } = stack.processes;
const FILES = 700;
const INNER = 60;

test.afterEach.always('the API and the worker run again', async () => {
  await api.start();
  await worker.start();
});

test.serial('no archive entry is lost or duplicated when the worker and the API are killed repeatedly', async (t) => {
  const behind = openBehindTheApi(stack);
  t.teardown(() => behind.close());
  const flow = await startFlow();
  const inner = Array.from({ length: INNER }, (_, index) => ({ name: `${index}.txt`, bytes: `Inner file ${index}.` }));
  const outer = Array.from({ length: FILES }, (_, index) => ({
    name: `folder-${index % 9}/${index}.txt`,
    bytes: `File ${index} speaks of ${'heather and gorse '.repeat(60)}.`,
  }));
  const bytes = zipFile([...outer.slice(0, 50), { name: 'inner.zip', bytes: zipFile(inner) }, ...outer.slice(50)]);
  const upload = await flow.send(['file', new File([bytes], 'large.zip')]);
  const [id] = idsOf(upload);
  const count = async (where: string) => {
    const [row] = await behind.query<{ count: number }>(
      `select count(*) as count from contents where workspace_id = :workspaceId and ${where}`,
      { workspaceId: flow.workspaceId, id },
    );
    return row?.count ?? 0;
  };
  // The first kill is immediate, the later ones follow when more entries are unpacked. Two kills before any entry is unpacked
  // would count as crashes of the archive, and repeated kills while an entry is read count as crashes of that entry.
  for (const [number, wanted] of [0, 1, 401].entries()) {
    const isReached = async () => (await count('part_of = :id')) >= wanted;
    await eventually(`${wanted} files`, isReached, { everyMs: 5 });
    await worker.signal('SIGKILL');
    if (number === 1) {
      await api.signal('SIGKILL');
      await api.start();
    }
    await worker.start();
  }
  const total = 1 + FILES + 1 + INNER;
  const done = await eventually(
    'every file is ready',
    async () => {
      const now = await flow.progress(upload.upload_id);
      // An entry that was being read during two of the kills fails as the cause of repeated crashes; a retry is enough.
      const blamed = (await behind.runsOf(upload.upload_id ?? '')).filter(
        (run) => run.failure_code === 'repeated_crash',
      );
      for (const run of blamed) await flow.control(`/contents/${run.content_id}/retry`);
      const isOver = now.progress.total === total && now.progress.settled === total;
      return isOver && blamed.length === 0 && now;
    },
    { timeoutMs: 150_000 },
  );
  t.deepEqual(done.progress.by_status, { ready: total });
  t.is(await count('true'), total);
  const names = await behind.query<{ name: string }>('select name from contents where part_of = :id', { id });
  t.is(new Set(names.map(({ name }) => name)).size, FILES + 1);
  await eventually('no work is left', async () => {
    await behind.makeDue(flow.workspaceId);
    return problemsOf(await takeCensus(behind, flow.workspaceId)).length === 0;
  });
  t.deepEqual(problemsOf(await takeCensus(behind, flow.workspaceId)), []);
});
