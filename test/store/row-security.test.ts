import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createPostgres, query, queryOne } from '#store/postgres.ts';
import { createKey } from '#test/support/harness/api-client.ts';
import { openInsides } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

const open = (poolSize: number) => {
  const url = testStack().environment['LOCI_DATABASE_URL'] ?? '';
  return createPostgres({ url, poolSize, applicationName: 'loci-test' });
};

test('a statement that forgets its `where` reaches rows of its workspace only', async (t) => {
  const [ours, theirs] = [await createKey(), await createKey()];
  const database = open(1);
  t.teardown(() => database.destroy());
  const keysSeen = async (workspaceId: string | null) => {
    const bindings = workspaceId === null ? {} : { workspaceId };
    const rows = await query<{ id: string }>(database, 'select distinct workspace_id as id from api_keys', bindings);
    return rows.map(({ id }) => id);
  };
  t.deepEqual(await keysSeen(ours.workspaceId), [ours.workspaceId]);
  t.deepEqual(await keysSeen(theirs.workspaceId), [theirs.workspaceId]);
  t.true((await keysSeen(null)).includes(ours.workspaceId), 'work on all workspaces names none');

  const scope = { workspaceId: ours.workspaceId };
  await query(database, `update api_keys set label = 'taken'`, scope);
  await query(database, 'delete from idempotency_keys', scope);
  const label = `select label from api_keys where workspace_id = :other`;
  t.not((await queryOne<{ label: string }>(database, label, { other: theirs.workspaceId }))?.label, 'taken');
  const insert = `insert into blobs (workspace_id, sha256, size_bytes) values (:other, 'x', 1)`;
  await t.throwsAsync(query(database, insert, { ...scope, other: theirs.workspaceId }), {
    message: /row-level security/,
  });
});

test('the setting of a connection follows its statements, also through transactions that fail', async (t) => {
  const [ours, theirs] = [await createKey(), await createKey()];
  const database = open(1);
  t.teardown(() => database.destroy());
  const seen = async (on: typeof database, { workspaceId }: { workspaceId: string }) =>
    (await query<{ id: string }>(on, 'select id from workspaces', { workspaceId })).map(({ id }) => id);
  t.deepEqual(await seen(database, ours), [ours.workspaceId]);
  const failed = database.transaction(async (transaction) => {
    t.deepEqual(await seen(transaction, theirs), [theirs.workspaceId]);
    throw new Error('rolled back');
  });
  await t.throwsAsync(failed, { message: 'rolled back' });
  t.deepEqual(await seen(database, theirs), [theirs.workspaceId]);
  await t.throwsAsync(query(database, 'select 1 / 0', { workspaceId: ours.workspaceId }));
  t.deepEqual(await seen(database, ours), [ours.workspaceId]);
  t.deepEqual(await Promise.all([seen(database, ours), seen(database, theirs)]), [
    [ours.workspaceId],
    [theirs.workspaceId],
  ]);
});

test('the role of the application reads and writes rows, and nothing else', async (t) => {
  const database = open(1);
  t.teardown(() => database.destroy());
  const role = await queryOne(
    database,
    `select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as is_privileged from pg_roles
     where rolname = current_user`,
  );
  t.deepEqual(role, { is_privileged: false });
  const name = `t_${randomUUID().slice(0, 8)}`;
  for (const forbidden of [
    `create table ${name} (id int)`,
    'alter table workspaces disable row level security',
    'drop table outbox',
    'truncate outbox',
    'select 1 from knex_migrations',
    `copy (select 1) to program 'true'`,
    `select pg_read_file('/etc/passwd')`,
  ]) {
    await t.throwsAsync(query(database, forbidden), { message: /permission denied|must be owner/ }, forbidden);
  }
});

test('a title of another workspace is not found, by whatever workspace the search is for', async (t) => {
  const [ours, theirs] = [await createKey(), await createKey()];
  const database = open(1);
  t.teardown(() => database.destroy());
  const title = `t${randomUUID().replaceAll('-', '')}`;
  const collection = randomUUID();
  for (const { workspaceId } of [ours, theirs]) {
    const insert = `insert into conversations (workspace_id, title, title_key, collections)
      values (:workspaceId, :title, :title, array[:collection::uuid])`;
    await query(database, insert, { workspaceId, title, collection });
  }
  const found = async (sql: string, workspaceId: string | null) =>
    (await query(database, sql, { ...(workspaceId === null ? {} : { workspaceId }), title, collection })).length;
  const byTitle = (owner: string) => `select conversations_with_title('${owner}', :title, :title)`;
  const byCollection = (owner: string) => `select conversations_by_collection('${owner}', :collection)`;
  for (const search of [byTitle, byCollection]) {
    t.is(await found(search(ours.workspaceId), ours.workspaceId), 1);
    t.is(await found(search(theirs.workspaceId), ours.workspaceId), 0);
    t.is(await found(search(theirs.workspaceId), null), 1, 'work on all workspaces names none');
  }
  t.is(await found('select id from conversations', ours.workspaceId), 1);
  await query(database, 'delete from conversations', ours);
  t.is(await found('select id from conversations', theirs.workspaceId), 1);
});

test('every table with rows of workspaces has the policy', async (t) => {
  const { database } = openInsides(t);
  const unprotected = await query(
    database,
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and not c.relrowsecurity
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id') order by 1`,
  );
  t.deepEqual(unprotected, []);
});
