import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import test from 'ava';
import { guardMigrations } from '#migrations/guard.ts';
import { createPostgres, query, queryOne } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { createOwnDatabase, openOwnDatabase } from '#test/support/harness/own-services.ts';

test('a statement ends at the time limit of its pool, and the error asks to try again', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const pool = createPostgres({ url: own.url, poolSize: 1, applicationName: 'loci-test', statementTimeoutMs: 50 });
  t.teardown(() => pool.destroy());
  await t.throwsAsync(query(pool, 'select pg_sleep(60)'), { message: /took too long.*try again shortly/ });
});

test('a migration steps back from a table in use, tries again, and has no time limit of statements', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  // The latest migration is to run again; it changes this table.
  await query(own.database, `delete from knex_migrations where name = '20261126_list_indexes'`);
  await query(own.database, `drop index contents_status_written`);
  const blocker = await own.database.transaction();
  await query(blocker, 'lock table contents in share row exclusive mode');
  const environment = { ...process.env, LOCI_DATABASE_URL: own.url, LOCI_MIGRATION_DATABASE_URL: own.url };
  const migrating = spawn(process.execPath, ['migrations/run.ts'], { env: environment });
  const exited = once(migrating, 'exit');
  let output = '';
  for await (const text of migrating.stdout.setEncoding('utf8')) {
    output += text;
    if (output.includes('in use') && !blocker.isCompleted()) await blocker.commit();
  }
  t.deepEqual(await exited, [0, null], output);
  t.regex(output, /a table is in use; trying again[^]*migrated: 20261126_list_indexes/);
  t.not(await queryOne(own.database, `select from pg_class where relname = 'contents_status_written'`), null);
});

test('a migration that waits for another one does not hold up the indexes that this builds', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  // The lock remains while its connection does nothing.
  await query(
    own.database,
    `do $$ begin
    execute format('alter database %I set idle_session_timeout = 300', current_database()); end $$`,
  );
  const release = await guardMigrations(own.url);
  const environment = { ...process.env, LOCI_DATABASE_URL: own.url, LOCI_MIGRATION_DATABASE_URL: own.url };
  const migrating = spawn(process.execPath, ['migrations/run.ts'], { env: environment });
  const exited = once(migrating, 'exit');
  const output = on(migrating.stdout.setEncoding('utf8'), 'data', { close: ['end'] });
  t.regex(String((await output.next()).value), /another process migrates this database/);
  const builder = createPostgres({ url: own.url, poolSize: 1, applicationName: 'loci-test', lockTimeoutMs: 3000 });
  t.teardown(() => builder.destroy());
  await t.notThrowsAsync(query(builder, 'create index concurrently tried on contents (name)'));
  t.is(migrating.exitCode, null);
  await release();
  t.regex(String((await output.next()).value), /schema is up to date/);
  t.deepEqual(await exited, [0, null]);
});

test('a migration keeps an index that the session of a killed one is still building', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  await query(own.database, `delete from knex_migrations where name = '20261126_list_indexes'`);
  await query(own.database, `drop index contents_status_written`);
  // An index is not complete before the transactions have ended that may still write without it.
  const blocker = await own.database.transaction();
  await query(blocker, 'lock table contents in row exclusive mode');
  const building = query(own.database, 'create index concurrently contents_status_written on contents (status)');
  const indexOf = () =>
    queryOne<{ indexrelid: number; indisvalid: boolean }>(
      own.database,
      `select indexrelid, indisvalid from pg_index where indexrelid = to_regclass('contents_status_written')`,
    );
  const left = await eventually('the index has been begun', indexOf);
  t.false(left.indisvalid);
  const environment = { ...process.env, LOCI_DATABASE_URL: own.url, LOCI_MIGRATION_DATABASE_URL: own.url };
  const migrating = spawn(process.execPath, ['migrations/run.ts'], { env: environment });
  const exited = once(migrating, 'exit');
  let output = '';
  migrating.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const removing = `select pid from pg_stat_activity where query like 'drop index concurrently%' and state = 'active'
    and datname = current_database()`;
  await eventually(
    'the migration waits',
    async () => output !== '' || (await queryOne(own.database, removing)) !== null,
  );
  await blocker.commit();
  await building;
  t.deepEqual(await exited, [0, null], output);
  t.regex(output, /another session is building the index contents_status_written/);
  t.deepEqual(await indexOf(), { ...left, indisvalid: true }, 'it is the same index');
});

test('a migration by a build that is older than the schema says so, and what to do', async (t) => {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  await query(
    own.database,
    `insert into knex_migrations (name, batch, migration_time) values ('29990101_of_a_newer_build', 99, now())`,
  );
  const migrating = spawn(process.execPath, ['migrations/run.ts'], {
    env: { ...process.env, LOCI_DATABASE_URL: own.url, LOCI_MIGRATION_DATABASE_URL: own.url },
  });
  const closed = once(migrating, 'close');
  let errors = '';
  migrating.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  t.deepEqual(await closed, [1, null]);
  t.regex(
    errors,
    /migrated by a newer build of Loci: this one does not know 29990101_of_a_newer_build\. .*restore the backup/,
  );
  t.notRegex(errors, / at /, 'without a stack trace');
});

test('stored responses and receipts are deleted in batches, when their time is over', async (t) => {
  const database = await openOwnDatabase(t);
  const { system } = createStores(database);
  const workspaceId = await system.insertWorkspace('a test');
  await query(
    database,
    `insert into idempotency_keys (workspace_id, principal, key, route, fingerprint, status, answer, expires_at)
     select :workspaceId::uuid, 'p', n::text, 'r', 'f', 200, '', now() + (n - 6) * interval '1 hour' from generate_series(1, 10) n`,
    { workspaceId },
  );
  t.is(await system.purgeIdempotencyKeys(3), 3);
  t.is(await system.purgeIdempotencyKeys(3), 3);
  t.is(await system.purgeIdempotencyKeys(3), 0);
  await query(
    database,
    `insert into deletions (workspace_id, kind, subject_id, completed_at)
     select :workspaceId::uuid, 'content', gen_random_uuid(), at
     from unnest(array[null, now(), now() - interval '3 days', now() - interval '4 days']) at`,
    { workspaceId },
  );
  t.is(await system.purgeDeletions(864e5, 1), 1);
  t.is(await system.purgeDeletions(864e5, 5), 1);
  t.is(await system.purgeDeletions(864e5, 5), 0);
});

test('forgetting the memories of a workspace goes page by page and reaches all of them', async (t) => {
  const database = await openOwnDatabase(t);
  const { system, memoryProjections } = createStores(database);
  const scope = { workspaceId: await system.insertWorkspace('a test'), collectionIds: null };
  const left = async () => {
    const sql = `select count(*) as count from memory_versions where index_state <> 'none' or index_space is not null`;
    return (await queryOne<{ count: number }>(database, sql))?.count;
  };
  const index = `update memory_versions set index_state = 'current', index_space = 'the space'`;
  await query(
    database,
    `with m as (
       insert into memories (id, workspace_id, user_id, memory_type, created_by)
       select uuidv7(), :workspaceId::uuid, 'ada', 'user', 'x' from generate_series(1, 4500) returning id, workspace_id
     ) insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, index_due_at)
       select id, 1, workspace_id, uuidv7(), 'x', now(), now() from m`,
    { workspaceId: scope.workspaceId },
  );
  await query(database, index);
  await memoryProjections.clearSpace(scope, 'the space');
  t.is(await left(), 0);
  await query(database, index);
  await memoryProjections.markUnindexed(scope, 'the space');
  const states = await query(database, `select index_state, count(*) as count from memory_versions group by 1`);
  t.deepEqual(states, [{ index_state: 'none', count: 4500 }]);
  await query(database, index);
  await memoryProjections.markFirstUnindexed(scope, 'the space');
  const found = await query<{ index_state: string }>(
    database,
    `select distinct index_state from memory_versions order by 1`,
  );
  t.deepEqual(
    found.map((row) => row.index_state),
    ['current', 'none'],
    'a request marks no more than a page',
  );
});

test('residues of contents that are being deleted are put off and hold up no others', async (t) => {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { contentIds } = await addContents(place, 3);
  const [first = '', ...others] = contentIds;
  await place.stores.runControl.startDeletion(place.scope, [first]);
  await query(
    database,
    `insert into residues (content_id, collection_id, workspace_id, due_at)
     select id, :collectionId::uuid, :workspaceId::uuid, now() - interval '1 second'
     from unnest(:others::uuid[]) id`,
    { collectionId: place.collectionId, workspaceId: place.scope.workspaceId, others },
  );
  await query(database, `update residues set due_at = now() - interval '1 hour' where content_id = :first`, { first });
  t.deepEqual(await place.stores.system.claimDueResidues(1, 60_000), []);
  const claimed = await place.stores.system.claimDueResidues(5, 60_000);
  t.deepEqual(claimed.map((row) => row.content_id).toSorted(), others.toSorted());
  t.deepEqual(await place.stores.system.claimDueResidues(5, 60_000), []);
});
