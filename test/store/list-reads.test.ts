import test, { type ExecutionContext } from 'ava';
import { MemoryList } from '#domain/records/memory.ts';
import { createReplicaReads } from '#store/list-reads.ts';
import { createPostgres, queryOne, query, type Database } from '#store/postgres.ts';
import type { Stores } from '#store/stores.ts';
import { createKey } from '#test/support/harness/api-client.ts';
import { addContents, makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findPostgresTools } from '#test/support/runner/postgres-tools.ts';
import { startPostgresReplica, type PostgresReplica } from '#test/support/databases/postgres-replica.ts';

const tools = findPostgresTools();
const replicaTest = tools === null ? test.serial.skip : test.serial;
const MAX_LAG_MS = 1_000;

let replica: PostgresReplica | null = null;
test.before(async () => {
  if (tools !== null) replica = await startPostgresReplica(tools, testStack().databaseUrl);
});
test.after.always(() => replica?.close());

/** A place in a database of its own, whose lists are read from the replica. */
async function openPlace(t: ExecutionContext) {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const pool = createPostgres({ url: replica?.urlOf(own.url) ?? '', poolSize: 2, applicationName: 'loci-test' });
  t.teardown(() => pool.destroy());
  const place = await makePlace(own.database);
  const changes: boolean[] = [];
  const reads = createReplicaReads({
    primary: own.database,
    replica: pool,
    stores: place.stores,
    maxLagMs: MAX_LAG_MS,
    onChange: (isUsed) => changes.push(isUsed),
  });
  t.teardown(() => reads.close());
  return { place, pool, reads, changes };
}

/** The replica as the owner of everything. */
function openOwner(t: ExecutionContext): Database {
  const url = replica?.urlOf(testStack().databaseUrl) ?? '';
  const owner = createPostgres({ url, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => owner.destroy());
  return owner;
}

const count =
  ({ scope }: Place) =>
  (stores: Stores) =>
    stores.contents.count(scope, {});
const isReplica = async (database: Database) =>
  (await queryOne<{ is: boolean }>(database, 'select pg_is_in_recovery() as is'))?.is;

replicaTest(
  'lists are read from a replica that keeps up, and from the primary while it is paused or away',
  async (t) => {
    const { place, pool, reads, changes } = await openPlace(t);
    t.true(await isReplica(pool));
    await eventually('the replica is used', () => Promise.resolve(changes.at(-1) === true));
    await addContents(place, 3);
    await eventually('the replica has what was written', async () => (await reads.read(count(place))).count === 3);
    const owner = openOwner(t);
    await query(owner, 'select pg_wal_replay_pause()');
    await addContents(place, 2);
    await eventually('the primary is read', () => Promise.resolve(changes.at(-1) === false));
    t.is((await reads.read(count(place))).count, 5);
    await query(owner, 'select pg_wal_replay_resume()');
    await eventually('the replica is used again', () => Promise.resolve(changes.at(-1) === true));
    t.is((await reads.read(count(place))).count, 5);
  },
);

replicaTest('an error of the request is reported, and one of the replica is not', async (t) => {
  const { place, reads, changes } = await openPlace(t);
  await eventually('the replica is used', () => Promise.resolve(changes.at(-1) === true));
  const asked: Stores[] = [];
  const conflict = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
  const failing = (stores: Stores) => {
    asked.push(stores);
    return stores === place.stores ? count(place)(stores) : Promise.reject(conflict);
  };
  t.deepEqual(await reads.read(failing), { count: 0, isExact: true });
  t.is(asked.length, 2);
  t.not(asked[0], place.stores);
});

replicaTest('a server that is no replica is not read', async (t) => {
  const { place } = await openPlace(t);
  const errors: unknown[] = [];
  const reads = createReplicaReads({
    primary: place.database,
    replica: place.database,
    stores: place.stores,
    maxLagMs: MAX_LAG_MS,
    onChange: (_isUsed, error) => errors.push(error),
  });
  t.teardown(() => reads.close());
  await eventually('it is found out', () => Promise.resolve(errors.length > 0));
  t.regex(String(errors[0]), /does not lead to a replica/);
  t.is(await reads.read((stores) => Promise.resolve(stores)), place.stores);
});

replicaTest('an API with a replica reads its lists there, and goes on without it', async (t) => {
  const stack = testStack();
  const environment = {
    LOCI_DATABASE_REPLICA_URL: replica?.urlOf(stack.environment['LOCI_DATABASE_URL'] ?? '') ?? '',
    LOCI_EMBEDDER: 'lexical',
    LOCI_SHUTDOWN_DELAY_S: '0',
  };
  const api = await startSecondProcess(stack, { kind: 'api', name: 'api-with-replica', environment });
  t.teardown(() => api.stop());
  const { key } = await createKey();
  const list = async () => {
    const answer = await fetch(`${api.url}/api/v1/memories`, { headers: { 'X-API-Key': key } });
    return MemoryList.parse(await answer.json()).total_count;
  };
  const owner = openOwner(t);
  await eventually('the list is read from the replica', async () => {
    t.is(await list(), 0);
    const found = await queryOne<{ lists: number }>(
      owner,
      `select count(*) as lists from pg_stat_activity where application_name = 'loci-api-lists' and query like '%from memories%'`,
    );
    return (found?.lists ?? 0) > 0;
  });
  await owner.destroy();
  await replica?.stop();
  t.is(await list(), 0);
});
