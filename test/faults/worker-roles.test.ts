import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { query } from '#store/postgres.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openInsides, startFlow } from '#test/support/harness/flow.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

const HEAVY = 'ingest:4,express,index';
const REST = 'workflows,download,crawl,oauth,compress,upkeep,webhooks,loops';

test('workers with different queues do together what one does, and the loops run in one of them', async (t) => {
  const stack = testStack();
  const { database } = openInsides(t);
  const workDir = await mkdtemp(join(tmpdir(), 'loci-work-'));
  t.teardown(() => rm(workDir, { recursive: true, force: true }));
  const start = (name: string, queues: string) =>
    startSecondProcess(stack, {
      kind: 'worker',
      name,
      environment: { LOCI_WORKER_QUEUES: queues, LOCI_WORK_DIR: join(workDir, name) },
    });
  await stack.processes.worker.stop();
  t.teardown(() => stack.processes.worker.start());
  const flow = await startFlow();

  const rest = await start('worker-rest', REST);
  t.teardown(() => rest.stop());
  const sent = await flow.send(['content', 'a small text about lighthouses']);
  const [content] = sent.uploads;
  await eventually('the job has been started', async () => {
    const statement = `select from outbox where workspace_id = :id and state = 'pending'`;
    const waiting = await query(database, statement, { id: flow.workspaceId });
    return waiting.length === 0;
  });
  t.not((await flow.content(content?.content_id ?? '')).status, 'ready', 'nobody ingests yet');

  const leftBehind = ['spool/bytes', 'reading/response-1'].map((name) => join(workDir, 'worker-heavy', name));
  for (const path of leftBehind) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'left by a process that was killed');
    await utimes(path, 0, 0);
  }
  const heavy = await start('worker-heavy', HEAVY);
  t.teardown(() => heavy.stop());
  await flow.reach(content?.content_id ?? '', 'ready');
  const files = Array.from({ length: 30 }, (_, number) => {
    return ['files', new File([`harbour number ${number}`], `${number}.txt`)] as const;
  });
  await flow.upload(...files);
  const found = await flow.search('harbour', { search_type: 'keyword', max_results: 50 });
  t.is(found.length, 30);
  await eventually(
    'files that were left behind are deleted, without the loops',
    async () => !leftBehind.some(existsSync),
  );
});
