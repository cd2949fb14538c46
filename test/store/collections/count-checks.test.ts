import test, { type ExecutionContext } from 'ava';
import { createPostgres, query, queryOne, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { addContents, makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';
import { countsOf, recount } from '#test/support/harness/recount.ts';
import { testStack } from '#test/support/harness/stack.ts';

async function openPlace(t: ExecutionContext): Promise<Place> {
  return makePlace(await openOwnDatabase(t));
}

test('a check finds and corrects counts that are wrong', async (t) => {
  const place = await openPlace(t);
  const { stores, database } = place;
  await addContents(place, 3);
  await stores.system.foldCounts();
  t.is(await stores.system.checkCounts(), null, 'the counts of a day are not compared again');
  await query(
    database,
    `update collection_counts set contents = contents + 7, bytes = bytes - 2,
    checked_at = now() - interval '2 days'`,
  );
  t.notDeepEqual(await countsOf(place), await recount(place));
  const checked = await stores.system.checkCounts();
  t.true(checked !== null && checked.corrections > 0);
  const { contents_by_status, chunks, bytes } = await countsOf(place);
  t.like(await recount(place), { contents_by_status, chunks, bytes });
  await query(database, `update collection_counts set checked_at = now() - interval '2 days'`);
  t.is((await stores.system.checkCounts())?.corrections, 0);
});

/** Whoever reads the runs of contents waits until `release` is called. */
async function holdReaders({ database }: Place) {
  await query(
    database,
    `create function wait_with_reading() returns boolean language plpgsql as $$
     begin
       insert into readers values (current_setting('statement_timeout'));
       perform pg_advisory_xact_lock(7);
       return true;
     end $$`,
  );
  await query(database, `create table readers (statement_timeout text)`);
  await query(database, `alter table content_collections rename to held`);
  await query(
    database,
    `create view content_collections as select held.* from held cross join (select wait_with_reading() offset 0) waited`,
  );
  const holder = await database.transaction();
  await query(holder, 'select pg_advisory_xact_lock(7)');
  return { release: () => holder.commit() };
}

/** Waits until a statement of the database waits for what `holdReaders` holds, and returns its process. */
async function waitingReader(database: Database): Promise<number> {
  for (;;) {
    const [row] = await query<{ pid: number }>(
      database,
      `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
    );
    if (row) return row.pid;
  }
}

const MAKE_WRONG = `update collection_counts set contents = contents + 7, checked_at = now() - :age::interval`;

test('while a check counts a collection, its counts can be added to, and what changes meanwhile stays counted', async (t) => {
  const place = await openPlace(t);
  const { stores, database } = place;
  const [first = ''] = (await addContents(place, 3)).contentIds;
  await stores.system.foldCounts();
  await query(database, MAKE_WRONG, { age: '2 days' });
  const { release } = await holdReaders(place);
  const check = stores.system.checkCounts();
  await waitingReader(database);
  await query(database, `update held set paused = true, chunk_count = 4 where content_id = :first`, { first });
  await stores.system.foldCounts();
  t.deepEqual(await query(database, 'select * from content_count_changes'), []);
  await query(database, `update held set paused = true where paused is false`);
  await release();
  t.is((await check)?.corrections, 2);
  const { contents_by_status, chunks, bytes } = await countsOf(place);
  t.deepEqual(contents_by_status, { paused: 3 });
  t.like(await recount(place), { contents_by_status, chunks, bytes });
  const [{ statement_timeout: limit } = { statement_timeout: '' }] = await query<{ statement_timeout: string }>(
    database,
    'select statement_timeout from readers limit 1',
  );
  t.is(limit, '10min');
});

test('a check has its own time limit also in a pool that works by transaction', async (t) => {
  const place = await openPlace(t);
  const { stores, database } = place;
  await addContents(place, 1);
  await stores.system.foldCounts();
  await query(database, MAKE_WRONG, { age: '2 days' });
  const { release } = await holdReaders(place);
  const own = await queryOne<{ name: string }>(database, 'select current_database() as name');
  const url = Object.assign(new URL(testStack().databaseUrl), { pathname: `/${own?.name}` }).href;
  const pool = createPostgres({ url, poolSize: 2, applicationName: 'loci-test', pooling: 'transaction' });
  t.teardown(() => pool.destroy());
  const check = createStores(pool).system.checkCounts();
  await waitingReader(database);
  await release();
  t.not(await check, null);
  t.deepEqual(await query(database, 'select distinct statement_timeout from readers'), [
    { statement_timeout: '10min' },
  ]);
});

test('a collection that takes too long to count does not keep others from being checked', async (t) => {
  const place = await openPlace(t);
  const { stores, database } = place;
  await addContents(place, 3);
  await stores.system.foldCounts();
  await query(database, MAKE_WRONG, { age: '2 days' });
  const other = await makePlace(database);
  await addContents(other, 1);
  await stores.system.foldCounts();
  await query(database, `${MAKE_WRONG} where workspace_id = :workspaceId`, { ...other.scope, age: '30 hours' });
  const { release } = await holdReaders(place);
  const check = stores.system.checkCounts();
  await query(database, 'select pg_cancel_backend(:pid::int)', { pid: await waitingReader(database) });
  await t.throwsAsync(check);
  await release();
  t.is((await stores.system.checkCounts())?.collection_id, other.collectionId);
  t.is(await stores.system.checkCounts(), null);
});
