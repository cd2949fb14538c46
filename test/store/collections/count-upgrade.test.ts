import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type { Knex } from 'knex';
import { migrationSource } from '#migrations/source.ts';
import { query, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { countWaiting } from '#test/support/harness/content-runs.ts';
import { openEmptyDatabase } from '#test/support/harness/own-services.ts';

const MIGRATION = '20261126_content_counts';

/** Applies the migrations that precede this one. */
async function migrateUpTo(database: Database, name: string): Promise<void> {
  const all = await migrationSource.getMigrations([]);
  const before = all.slice(
    0,
    all.findIndex((one) => migrationSource.getMigrationName(one) === name),
  );
  const source: Knex.MigrationSource<(typeof all)[number]> = {
    ...migrationSource,
    getMigrations: () => Promise.resolve(before),
  };
  await database.migrate.latest({ migrationSource: source });
}

/** A workspace with two collections, contents in several stages, and one that is in both collections. */
async function fillOld(database: Database) {
  const [workspaceId, collectionId, other] = [randomUUID(), randomUUID(), randomUUID()];
  await query(database, `insert into workspaces (id, name) values (:workspaceId, 'old')`, { workspaceId });
  await query(
    database,
    `with c as (insert into collections (id, workspace_id, name) select x, :workspaceId, 'old'
       from unnest(:ids::uuid[]) x returning id)
     insert into index_generations (workspace_id, collection_id, number, tenant, status, provider, model, model_hash, dimensions)
     select :workspaceId, x, 1, x || '-1', 'active', 'p', 'm', 'h', 1 from unnest(:ids::uuid[]) x`,
    { workspaceId, ids: [collectionId, other] },
  );
  // A client has written the status of the second.
  for (const { stage, status = stage } of [
    { stage: 'ready' },
    { stage: 'ready', status: 'cancelled' },
    { stage: 'failed' },
    { stage: 'reading' },
  ]) {
    const id = randomUUID();
    await query(
      database,
      `insert into contents (id, workspace_id, collection_id, name, size, status, source)
       values (:id, :workspaceId, :collectionId, 'x', 10, :status, 'text')`,
      { id, workspaceId, collectionId, status },
    );
    await query(
      database,
      `insert into content_collections (content_id, collection_id, workspace_id, run_id, stage, reader, chunk_count, active_version)
       select :id, x, :workspaceId, uuidv7(), :stage, 'native', case when :stage = 'ready' then 3 else 0 end,
         case when :stage = 'ready' then 1 end
       from unnest(:ids::uuid[]) x`,
      { id, workspaceId, stage, ids: stage === 'failed' ? [collectionId, other] : [collectionId] },
    );
  }
  return { scope: { workspaceId, collectionIds: null }, collectionId, other };
}

test('an upgrade counts what is there, also when it was interrupted', async (t) => {
  const database = await openEmptyDatabase(t);
  await migrateUpTo(database, MIGRATION);
  const { scope, collectionId, other } = await fillOld(database);
  await database.migrate.latest({ migrationSource });
  const { collections, contents, chunks, system } = createStores(database);
  const check = async () => {
    const stats = { contents: 4, contents_by_status: { ready: 2, failed: 1, reading: 1 }, chunks: 6, bytes: 40 };
    t.deepEqual((await collections.find(scope, collectionId))?.collection.stats, stats);
    t.like((await collections.find(scope, other))?.collection.stats, { contents: 1, bytes: 10 });
    t.is((await contents.count(scope, {})).count, 4);
    t.is(await chunks.countPublished(scope, {}), 6);
    for (const status of ['reading', 'cancelled', 'failed']) {
      const { rows } = await contents.list(scope, { status }, { after: null, limit: 10 });
      t.is(rows.length, 1, status);
    }
  };
  await check();
  await query(database, `delete from knex_migrations where name = '20261126_list_indexes'`);
  await query(database, `update pg_index set indisvalid = false where indexrelid = 'memories_type'::regclass`);
  await database.migrate.latest({ migrationSource });
  await check();
  const invalid = await query(database, `select 1 from pg_index where not indisvalid`);
  t.deepEqual(invalid, []);
  for (const _ of [collectionId, other])
    t.like(await system.checkCounts(), { corrections: 0 }, 'counts of an upgrade are due to be compared');
});

test('counts that another upgrade has just written are replaced', async (t) => {
  const database = await openEmptyDatabase(t);
  await migrateUpTo(database, MIGRATION);
  const { scope, collectionId } = await fillOld(database);
  await database.migrate.latest({ migrationSource });
  await query(database, `delete from knex_migrations where name = '20261126_list_indexes'`);
  await query(database, 'create table counted as select * from collection_counts');
  await query(database, 'delete from collection_counts');
  const another = await database.transaction();
  await query(another, 'insert into collection_counts select * from counted');
  const upgraded = database.migrate.latest({ migrationSource });
  while ((await countWaiting(database)) === 0) await delay(20);
  await another.commit();
  await upgraded;
  const found = await createStores(database).collections.find(scope, collectionId);
  t.like(found?.collection.stats, { contents: 4, chunks: 6, bytes: 40 });
});
