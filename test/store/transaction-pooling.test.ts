import test from 'ava';
import type { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { createPostgres, query, type Database, type PreparedStatement } from '#store/postgres.ts';
import { createKey, formFor } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findPgBouncer, startPgBouncer, type PgBouncer } from '#test/support/databases/pgbouncer.ts';

/** Builds it at the first time, which takes a minute. */
const executable = await findPgBouncer();
const pooled = executable === null ? test.skip : test;

/** Fewer than there are clients, so that these change connections with nearly every transaction. */
const SERVER_CONNECTIONS = 2;
const CLIENTS = 12;
const ROUNDS = 30;
const TEXTS = 12;
const IDS = 'select id from workspaces';
const PREPARED: PreparedStatement = { name: 'workspace_ids', sql: `select id from workspaces where true` };

let pooler: PgBouncer | null = null;
test.before(async () => {
  const url = testStack().environment['LOCI_DATABASE_URL'] ?? '';
  if (executable !== null) pooler = await startPgBouncer(executable, { url, serverConnections: SERVER_CONNECTIONS });
});
test.after.always(() => pooler?.close());

const open = (poolSize: number, pooling: 'session' | 'transaction') =>
  createPostgres({ url: pooler?.url ?? '', poolSize, applicationName: 'loci-test', pooling });

async function idsSeen(database: Database, workspaceId: string | null, statement: string | PreparedStatement = IDS) {
  const rows = await query<{ id: string }>(database, statement, workspaceId === null ? {} : { workspaceId });
  return rows.map(({ id }) => id);
}

pooled(
  'behind PgBouncer, clients that share connections see only the workspace that their statement names',
  async (t) => {
    const workspaces = [(await createKey()).workspaceId, (await createKey()).workspaceId];
    const database = open(CLIENTS, 'transaction');
    t.teardown(() => database.destroy());
    const client = async (number: number) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const workspaceId = workspaces[(number + round) % 2] ?? '';
        t.deepEqual(await idsSeen(database, workspaceId, round % 3 === 0 ? PREPARED : IDS), [workspaceId]);
        if (round % 5 === 0) t.true((await idsSeen(database, null)).length > 1, 'work on all workspaces names none');
        if (round % 7 === 0) await t.throwsAsync(query(database, 'select 1 / 0', { workspaceId }), { code: '22012' });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  },
);

pooled('behind PgBouncer, a transaction changes its workspace, and what follows it is not affected', async (t) => {
  const [ours, theirs] = [(await createKey()).workspaceId, (await createKey()).workspaceId];
  const database = open(CLIENTS, 'transaction');
  t.teardown(() => database.destroy());
  const client = async (number: number) => {
    const change = database.transaction(async (transaction) => {
      t.deepEqual(await idsSeen(transaction, ours), [ours]);
      t.deepEqual(await idsSeen(transaction, theirs), [theirs]);
      const inner = transaction.transaction(async (nested) => {
        t.deepEqual(await idsSeen(nested, ours), [ours]);
        await query(nested, 'select 1 / 0', { workspaceId: ours });
      });
      await t.throwsAsync(inner, { code: '22012' });
      t.deepEqual(await idsSeen(transaction, theirs), [theirs]);
      await query(transaction, `update workspaces set name = 'renamed' where id = :workspaceId`, {
        workspaceId: theirs,
      });
      if (number % 2 === 1) throw new Error('rolled back');
    });
    await (number % 2 === 1 ? t.throwsAsync(change, { message: 'rolled back' }) : change);
    t.deepEqual(await idsSeen(database, ours), [ours]);
  };
  for (let number = 0; number < 4; number += 1) await client(number);
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(2 * number + 1)));
});

pooled(
  'behind PgBouncer, each statement has its time limit and the other settings, and its writes are kept',
  async (t) => {
    const { workspaceId } = await createKey();
    const database = open(2, 'transaction');
    t.teardown(() => database.destroy());
    const settings = `select current_setting('statement_timeout') as timeout,
    current_setting('pg_trgm.word_similarity_threshold') as similarity`;
    t.deepEqual(await query(database, settings, { workspaceId }), [{ timeout: '1min', similarity: '0.4' }]);
    await query(database, `update workspaces set name = 'kept' where id = :workspaceId`, { workspaceId });
    const names = await query(database, 'select name from workspaces', { workspaceId });
    t.deepEqual(names, [{ name: 'kept' }]);
  },
);

pooled('PgBouncer refuses processes that were not told of it, instead of mixing their workspaces', async (t) => {
  const database = open(1, 'session');
  t.teardown(() => database.destroy());
  await t.throwsAsync(query(database, 'select 1'), { code: 'dependency_unavailable' });
});

pooled('an API and a worker behind PgBouncer ingest and find a text', async (t) => {
  const stack = testStack();
  const environment = { LOCI_DATABASE_URL: pooler?.url ?? '', LOCI_DATABASE_POOLING: 'transaction' };
  const [api, worker] = await Promise.all([
    startSecondProcess(stack, {
      kind: 'api',
      name: 'api-pooled',
      // A model takes long to load on a busy machine, and is not needed here.
      environment: { ...environment, LOCI_EMBEDDER: 'lexical' },
    }),
    startSecondProcess(stack, { kind: 'worker', name: 'worker-pooled', environment }),
  ]);
  t.teardown(async () => {
    await Promise.all([api.stop(), worker.stop()]);
  });
  const key = await createKey();
  const send = async <S extends z.ZodType>(path: string, schema: S, init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.set('X-API-Key', key.key);
    headers.set('Prefer', 'wait=60');
    const response = await fetch(`${api.url}/api/v1${path}`, { ...init, headers });
    const body = await response.text();
    t.true(response.ok, body);
    return schema.parse(JSON.parse(body));
  };
  const post = (json: unknown) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(json),
  });
  const collection = { name: 'pooled', embedding: { provider: 'lexical' } };
  const { id } = await send('/collections', Collection, post(collection));
  const texts = Array.from(
    { length: TEXTS },
    (_, number) => ['content', `lighthouse keeper number ${number}`] as const,
  );
  await send('/upload', UploadResponse, { method: 'POST', body: formFor(id, texts) });
  const search = { collection_id: id, query: 'lighthouse', search_type: 'keyword', max_results: 50 };
  const found = await eventually('all texts are found', async () => {
    const { results } = await send('/collections/search', SearchResponse, post(search));
    return results.length === TEXTS && results;
  });
  t.is(new Set(found.map(({ content_id: contentId }) => contentId)).size, TEXTS);
});
