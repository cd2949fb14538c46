import test from 'ava';
import { measureStatements, type StoreCall } from '#bench/scale/measure-statements.ts';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('workspaces take turns when workflows are started, and what a claim reads does not grow with what waits', async (t) => {
  const database = await openOwnDatabase(t);
  const { system } = createStores(database);
  const open = async (count: number) => {
    const workspaceId = await system.insertWorkspace('one');
    await query(
      database,
      `insert into outbox (workspace_id, workflow_type, workflow_id, task_queue, args, summary, next_attempt_at)
       select :workspaceId::uuid, 'ingestBatch', uuidv7(), 'ingest', '{}', '', now() from generate_series(1, :count::int)`,
      { workspaceId, count },
    );
    return workspaceId;
  };
  const claim = async () => {
    const rows = await system.claimDueStarts(50);
    const counts = Object.entries(Object.groupBy(rows, ({ workspace_id: id }) => id));
    return Object.fromEntries(counts.map(([id, claimed]) => [id, claimed?.length]));
  };
  const large = await open(20_000);
  const [one, other] = [await open(2), await open(3)];
  await query(database, 'vacuum analyze outbox');
  const call: StoreCall = { what: 'a claim', workspaceId: null, call: (stores) => stores.system.claimDueStarts(50) };
  const { buffers } = await measureStatements(database, call, { repetitions: 0 });
  t.true(buffers < 1_000, `${buffers} buffers`);
  t.deepEqual(await claim(), { [large]: 16, [one]: 2, [other]: 3 });
  t.deepEqual(await claim(), { [large]: 50 }, 'one that is alone has all of it');
});
