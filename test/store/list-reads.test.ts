import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { MemoryList } from '#domain/records/memory.ts';
import { createReplicaReads } from '#store/list-reads.ts';
import { createPostgres, queryOne, query, type Database } from '#store/postgres.ts';
import { translatePostgresError } from '#store/postgres-errors.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { apiClient, createKey, formFor } from '#test/support/harness/api-client.ts';
import { addContents, makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findPostgresTools } from '#test/support/runner/postgres-tools.ts';
import { startNodeRelay, type NodeRelay } from '#test/support/servers/node-relay.ts';
import { startPostgresReplica, type PostgresReplica } from '#test/support/databases/postgres-replica.ts';

const tools = findPostgresTools();
const replicaTest = tools === null ? test.serial.skip : test.serial;
const MAX_LAG_MS = 1_000;

let replica: PostgresReplica | null = null;
test.before(async () => {
  if (tools !== null) replica = await startPostgresReplica(tools, testStack().databaseUrl);
});
test.after.always(() => replica?.close());

/** A place in a database of its own, whose lists are read from the replica, directly or through a relay. */
async function openPlace(t: ExecutionContext, relay?: NodeRelay) {
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const direct = replica?.urlOf(own.url) ?? '';
  const url = relay === undefined ? direct : Object.assign(new URL(direct), { host: relay.address }).href;
  const pool = createPostgres({ url, poolSize: 4, applicationName: 'loci-test' });
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
    await eventually('the database is on the replica', () => isReplica(pool));
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
  // As the stores report it. Other lists stay with the replica.
  const cancelled = (stores: Stores) =>
    stores === place.stores ? count(place)(stores) : Promise.reject(translatePostgresError(conflict));
  t.deepEqual(await reads.read(cancelled), { count: 0, isExact: true });
  t.false(changes.includes(false, changes.indexOf(true)));
});

replicaTest('a replica that is cut off holds up no list, and is used again when it is back', async (t) => {
  const relay = await startNodeRelay([new URL(replica?.urlOf(testStack().databaseUrl) ?? '').host]);
  t.teardown(() => relay.close());
  const { place, reads, changes } = await openPlace(t, relay);
  await eventually('the replica is used', () => Promise.resolve(changes.at(-1) === true));
  relay.hold(true);
  t.is((await reads.read(count(place))).count, 0);
  await eventually('the primary is read', () => Promise.resolve(changes.at(-1) === false));
  relay.hold(false);
  await eventually('the replica is used again', () => Promise.resolve(changes.at(-1) === true));
});

test.serial('what is noted of the primary does not grow while the replica is away', async (t) => {
  let checks = 0;
  /** A position of tens of kilobytes shows whether it is kept. */
  const position = `0x${'f'.repeat(80_000)}`;
  // What `query` calls of a database.
  const answering = (answer: () => Promise<unknown>) => ({ raw: () => ({ options: answer }) }) as unknown as Database;
  const primary = answering(() => Promise.resolve({ rows: [{ position }] }));
  const away = answering(() => {
    checks += 1;
    return Promise.reject(new Error('connection refused'));
  });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stores = createStores(primary);
  const reads = createReplicaReads({ primary, replica: away, stores, maxLagMs: 10, onChange: () => undefined });
  t.teardown(() => reads.close());
  collect();
  const before = process.memoryUsage().heapUsed;
  await eventually('there were many checks', () => Promise.resolve(checks > 1_000));
  collect();
  t.true(process.memoryUsage().heapUsed - before < 20_000_000);
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

/** Starts an API that reads lists from the replica. Returns a client of it that has read one there. */
async function startApi(t: ExecutionContext, owner: Database) {
  const stack = testStack();
  const environment = {
    LOCI_DATABASE_REPLICA_URL: replica?.urlOf(stack.environment['LOCI_DATABASE_URL'] ?? '') ?? '',
    // Longer than a test takes.
    LOCI_DATABASE_REPLICA_MAX_LAG_S: '120',
    LOCI_EMBEDDER: 'lexical',
    LOCI_SHUTDOWN_DELAY_S: '0',
  };
  const api = await startSecondProcess(stack, { kind: 'api', name: 'api-with-replica', environment });
  t.teardown(() => api.stop());
  const { key } = await createKey();
  const client = apiClient(key, '', { baseUrl: api.url });
  const countMemories = async (headers: Record<string, string> = {}) =>
    (await client.get('/api/v1/memories', MemoryList, { headers })).total_count;
  await eventually('the list is read from the replica', async () => {
    t.is(await countMemories(), 0);
    const found = await queryOne<{ lists: number }>(
      owner,
      `select count(*) as lists from pg_stat_activity where application_name = 'loci-api-lists' and query like '%from memories%'`,
    );
    return (found?.lists ?? 0) > 0;
  });
  return { client, countMemories };
}

replicaTest('who decides by a list, and every assistant, is shown what was written just before', async (t) => {
  const owner = openOwner(t);
  const { client, countMemories } = await startApi(t, owner);
  await query(owner, 'select pg_wal_replay_pause()');
  t.teardown(() => query(owner, 'select pg_wal_replay_resume()'));
  const memory = { user_id: 'ada', memory: 'Prefers tea.' };
  await client.post('/api/v1/memories', z.unknown(), { json: memory, status: 201 });
  t.is(await countMemories(), 0, 'of the replica');
  t.is(await countMemories({ 'Cache-Control': 'no-cache' }), 1);
  t.is(await countMemories({ 'Cache-Control': 'max-age=0, No-Cache' }), 1);
  await client.post('/api/v1/memories', z.unknown(), { json: { ...memory, memory: 'Has a dog.' }, status: 201 });
  const headers = { 'Cache-Control': 'no-cache' };
  const first = await client.get('/api/v1/memories?limit=1', MemoryList, { headers });
  const rest = await client.get(`/api/v1/memories?limit=1&cursor=${first.next_cursor}`, MemoryList);
  t.deepEqual(
    [first.has_more, rest.data.map((one) => one.memory)],
    [true, ['Has a dog.']],
    'what a page has promised follows',
  );
  const { id } = await client.post('/api/v1/collections', Collection, { json: { name: 'notes' }, status: 201 });
  const body = formFor(id, [
    ['files', new File(['a note'], 'note-of-now.txt')],
    ['ingest', 'false'],
  ]);
  await client.post('/api/v1/upload', z.unknown(), { body, status: 202 });
  const called = await client.send('/mcp', {
    method: 'POST',
    headers: { Accept: 'application/json, text/event-stream' },
    json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_contents', arguments: {} } },
  });
  t.regex(await called.text(), /note-of-now/);
});

replicaTest('an API with a replica reads its lists there, and goes on without it', async (t) => {
  const owner = openOwner(t);
  const { countMemories } = await startApi(t, owner);
  await owner.destroy();
  await replica?.stop();
  t.is(await countMemories(), 0);
});
