import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { measureStatements, type StoreCall } from '#bench/scale/measure-statements.ts';
import { serializeSpace } from '#domain/memories/memory-index.ts';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

const SPACE = { provider: 'local' as const, model: 'one', model_hash: '', dimensions: 2 };

async function openUser(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const workspaceId = await stores.system.insertWorkspace('one');
  return { database, stores, workspaceId, scope: { workspaceId, collectionIds: null } };
}

test('memories are removed in the order of their creation, and locked in the order of their ids, as by others', async (t) => {
  const { database, stores, scope, workspaceId } = await openUser(t);
  const [low, high] = ['10000000-0000-4000-8000-000000000000', 'f0000000-0000-4000-8000-000000000000'];
  await query(
    database,
    `insert into memories (id, workspace_id, user_id, memory_type, created_at)
     values (:low, :workspaceId, 'ada', 'user', now()), (:high, :workspaceId, 'ada', 'user', now() - interval '1 hour')`,
    { low, high, workspaceId },
  );
  const deletion = { userId: 'ada', subjectId: randomUUID(), createdBy: 'a test' };
  const id = await stores.userMemories.beginDeletion(scope, deletion);
  const lock = 'select id from memories where id = :id for update';
  let removing: Promise<number> | undefined;
  await database.transaction(async (other) => {
    await query(other, lock, { id: low });
    removing = stores.userMemories.remove(scope, id, { memories: 10, versions: 10 });
    await until(
      () =>
        query(database, `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting.length === 1,
    );
    await query(other, lock, { id: high });
  });
  t.is(await removing, 2);
});

test('memories are removed in pages that are limited by their versions, too', async (t) => {
  const { database, stores, scope, workspaceId } = await openUser(t);
  await query(
    database,
    `insert into memories (id, workspace_id, user_id, memory_type, version, created_at)
     select uuidv7(), :workspaceId, 'ada', 'user', version, now() - interval '1 hour' + place * interval '1 second'
     from unnest(array[4, 3, 2, 9, 1, 1, 1]) with ordinality as m(version, place)`,
    { workspaceId },
  );
  const deletion = { userId: 'ada', subjectId: randomUUID(), createdBy: 'a test' };
  const id = await stores.userMemories.beginDeletion(scope, deletion);
  const remove = (leavesLarge: boolean) =>
    stores.userMemories.remove(scope, id, { memories: 2, versions: 7, leavesLarge });
  const removed: number[] = [];
  for (const leavesLarge of [true, false, true, false, true, true, false]) removed.push(await remove(leavesLarge));
  t.deepEqual(removed, [2, 1, 0, 1, 2, 1, 0]);
  t.true(await stores.userMemories.complete(scope, id));
});

test('what extraction and deletion read of a user and of a workspace does not grow with the number of memories', async (t) => {
  const { database, stores: own, scope, workspaceId } = await openUser(t);
  const other = await own.system.insertWorkspace('another');
  await query(
    database,
    `with m as (
       insert into memories (id, workspace_id, user_id, memory_type, created_by)
       select uuidv7(), case when number % 4 = 0 then :other::uuid else :workspaceId::uuid end, 'ada', 'user',
         case when number = 1 then 'memory-extraction' else 'a client' end from generate_series(1, 20000) number returning *
     ) insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, index_due_at, index_state,
       index_space)
     select id, 1, workspace_id, uuidv7(), 'x', created_at, now(), 'current',
       (:spaces::text[])[1 + get_byte(uuid_send(id), 15) % 2] from m`,
    { workspaceId, other, spaces: ['one', 'two'].map((model) => serializeSpace({ ...SPACE, model })) },
  );
  for (const table of ['memories', 'memory_versions']) await query(database, `vacuum analyze ${table}`);
  const calls: [string, StoreCall['call'], number][] = [
    ['extracted last', (stores) => stores.memorySupersessions.listLastExtracted(scope, 'ada', 20), 1],
    [
      'extracted since',
      (stores) =>
        stores.memorySupersessions.listExtractedSince(scope, 'ada', { since: new Date(0), except: [], limit: 20 }),
      1,
    ],
    ['spaces', (stores) => stores.workspaceTenants.listMemorySpaces(scope), 2],
  ];
  for (const [what, call, found] of calls) {
    const returned = await call(createStores(database));
    t.is(Array.isArray(returned) && returned.length, found, what);
    const { buffers } = await measureStatements(database, { what, workspaceId, call }, { repetitions: 0 });
    t.true(buffers < 60, `${what}: ${buffers}`);
  }
});

test('the newest memories of a time are found without reading those that were created since', async (t) => {
  const { database, stores, scope, workspaceId } = await openUser(t);
  await query(
    database,
    `with m as (
       insert into memories (id, workspace_id, user_id, memory_type, version, created_at)
       select uuidv7(), :workspaceId, 'ada', 'user', case when number = 30 then 2 else 1 end,
         case when number > 30 then now() - (5000 - number) * interval '1 second'
           else now() - interval '2 days' + number * interval '1 second' end
       from generate_series(1, 5000) number returning *
     ) insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, valid_to, index_due_at)
     select id, number, workspace_id, uuidv7(), 'version ' || number,
       case when number = 1 then created_at else now() end, case when number < version then now() end, now()
     from m, generate_series(1, version) number`,
    { workspaceId },
  );
  for (const table of ['memories', 'memory_versions']) await query(database, `vacuum analyze ${table}`);
  const asOf = new Date(Date.now() - 24 * 60 * 60 * 1_000);
  for (const userId of [null, 'ada']) {
    const call: StoreCall['call'] = ({ memories }) =>
      memories.listByAge(scope, { userId, asOf }, { first: 'newest', limit: 3 });
    const rows = await stores.memories.listByAge(scope, { userId, asOf }, { first: 'newest', limit: 3 });
    t.deepEqual(
      rows.map(({ memory, version }) => [memory, version]),
      [
        ['version 1', 1],
        ['version 1', 1],
        ['version 1', 1],
      ],
    );
    t.true(rows.every(({ created_at }) => created_at < asOf));
    const { buffers } = await measureStatements(database, { what: 'newest', workspaceId, call }, { repetitions: 0 });
    t.true(buffers < 100, `${buffers} buffers`);
  }
});
