import test, { type ExecutionContext } from 'ava';
import { recordStatements } from '#bench/record-statements.ts';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import type { RetrievalMethod } from '#domain/records/memory.ts';
import { createMemories } from '#operations/memories/create-memories.ts';
import { createMemory } from '#operations/memories/create-memory.ts';
import { createMemoryIndexer } from '#operations/memories/memory-indexer.ts';
import { projectMemories } from './project-memories.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { updateMemory } from '#operations/memories/update-memory.ts';
import type { Services } from '#operations/services.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query, type Database } from '#store/postgres.ts';
import { userOf } from '#test/support/harness/content-runs.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

type Written = Awaited<ReturnType<typeof createMemory>>;
type EmbedCall = { texts: readonly string[]; lane: string | undefined; share: string | undefined };

/** Services whose calls of the embedder and writes to the index are counted; the embedder holds the texts with `held`. */
async function openCounted(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const lexical = createLexicalEmbedder();
  const embedded: EmbedCall[] = [];
  const written: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const embedder: Embedder = {
    ...lexical,
    embed: async (texts, purpose, options = {}) => {
      if (purpose === 'query') return lexical.embed(texts, purpose, options);
      embedded.push({ texts, lane: options.lane, share: options.share });
      if (texts.some((text) => text.includes('unspeakable'))) throw new AppError('embedding_rejected', 'refused');
      if (texts.some((text) => text.includes('held'))) await gate.promise;
      return lexical.embed(texts, purpose, options);
    },
  };
  const vectors: Services['vectors'] = {
    ...services.vectors,
    rewriteObjects: async (space, tenant, objects) => {
      written.push(objects.map(({ text }) => text));
      await services.vectors.rewriteObjects(space, tenant, objects);
    },
  };
  const counted = withParts(services, { vectors, embedders: createEmbedderSet(embedder) });
  return { services: counted, database, embedded, written, release: () => gate.resolve() };
}

function withParts(services: Services, parts: Partial<Services>): Services {
  const changed = { ...services, ...parts };
  return { ...changed, memoryIndexer: createMemoryIndexer(changed) };
}

async function openWorkspace(services: Services) {
  const workspaceId = await services.stores.system.insertWorkspace('with memories');
  const caller = userOf(workspaceId);
  const bodyOf = (memory: string) => ({ memory, memory_type: 'user' as const, topics: [], metadata: {} });
  const write = (memory: string) => createMemory(services, caller, { body: bodyOf(memory), idempotency: null });
  const writeBatch = (texts: readonly string[]) =>
    createMemories(services, caller, { items: texts.map((text) => ({ body: bodyOf(text) })), idempotency: null });
  const find = async (text: string, method: RetrievalMethod = 'keyword') => {
    const found = await searchMemories(services, caller, { query: text, retrieval_method: method, limit: 100 });
    return found.memories.map(({ memory }) => memory).sort();
  };
  return { workspaceId, caller, write, writeBatch, find };
}

/** Occupies the two groups of a workspace that may run at once, until the embedder is released. */
async function holdGroups({ write, embedded }: { write: (text: string) => Promise<Written>; embedded: EmbedCall[] }) {
  const held: Promise<Written>[] = [];
  for (const text of ['A held memory.', 'Another held memory.']) {
    const calls = embedded.length;
    held.push(write(text));
    await until(
      async () => embedded.length,
      (count) => count > calls,
    );
  }
  return held;
}

const pendingVersions = (database: Database) =>
  query(
    database,
    `select v.memory_id, v.version from memory_versions v join memories m on m.id = v.memory_id
     where v.index_state = 'none' or (v.index_state = 'current' and v.valid_to is not null) or m.projecting_until is not null`,
  );
const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, number) => `${word} number${number}`);

test('memories that arrive while others are embedded share one call of the embedder and one index write', async (t) => {
  const { services, database, embedded, written, release } = await openCounted(t);
  const { workspaceId, write, find } = await openWorkspace(services);
  await write('An old memory.');
  const held = await holdGroups({ write, embedded });
  const texts = numbered(12, 'clematis');
  const writes = texts.map(write);
  await until(
    () => query(database, `select id from memories`),
    (rows) => rows.length === 15,
  );
  t.is(embedded.length, 3);
  release();
  const results = await Promise.all([...held, ...writes]);
  t.true(results.every(({ isIndexed }) => isIndexed));
  t.deepEqual(embedded.slice(3), [{ texts: embedded[3]?.texts ?? [], lane: 'express', share: workspaceId }]);
  t.deepEqual(embedded[3]?.texts.toSorted(), texts.toSorted());
  t.deepEqual(written.at(-1)?.toSorted(), texts.toSorted());
  t.deepEqual(await find('clematis'), texts.toSorted());
  t.deepEqual(await pendingVersions(database), []);
});

test('a memory that is written alone takes two statements and one call of the embedder', async (t) => {
  const { services, database, embedded, written } = await openCounted(t);
  const { write } = await openWorkspace(services);
  await write('The first one creates the index.');
  const before = [embedded.length, written.length];
  const statements = await recordStatements(database, () => write('The second one.'));
  t.is(statements.length, 2, statements.map(({ text }) => text).join('\n'));
  t.deepEqual(
    [embedded.length, written.length],
    before.map((count) => count + 1),
  );
});

test('a text that the embedder rejects fails alone in its group', async (t) => {
  const { services, database, embedded, release } = await openCounted(t);
  const { write, find } = await openWorkspace(services);
  await write('An old memory.');
  const held = await holdGroups({ write, embedded });
  const texts = [...numbered(9, 'juniper'), 'An unspeakable juniper.'];
  const writes = texts.map(write);
  await until(
    () => query(database, `select id from memories`),
    (rows) => rows.length === 13,
  );
  release();
  for (const { isIndexed } of await Promise.all(held)) t.true(isIndexed);
  const results = await Promise.all(writes);
  t.deepEqual(
    results.filter(({ isIndexed }) => !isIndexed).map(({ body }) => body.memory.memory),
    ['An unspeakable juniper.'],
  );
  t.deepEqual(await find('juniper'), numbered(9, 'juniper'));
  t.is((await pendingVersions(database)).length, 1);
  const due = await query(
    database,
    `select 1 from memory_versions where index_state = 'none' and index_due_at <= now()`,
  );
  t.is(due.length, 1, 'it is left to the worker at once');
});

test('a workspace does not wait for the memories of another one', async (t) => {
  const { services, release } = await openCounted(t);
  const [slow, other] = [await openWorkspace(services), await openWorkspace(services)];
  const held = slow.write('A held memory.');
  t.true((await other.write('Not concerned.')).isIndexed);
  t.deepEqual(await other.find('concerned'), ['Not concerned.']);
  release();
  t.true((await held).isIndexed);
});

test('the first batch of a workspace is embedded once, found by words and by meaning, and leaves the worker nothing', async (t) => {
  const { services, database, embedded, written } = await openCounted(t);
  const { writeBatch, find } = await openWorkspace(services);
  const texts = numbered(300, 'hawthorn');
  const { status, isIndexed, body } = await writeBatch(texts);
  t.deepEqual([status, isIndexed, body.created, body.failed], [201, true, 300, 0]);
  t.deepEqual(embedded.flatMap((call) => call.texts).toSorted(), texts.toSorted());
  t.true(embedded.length <= 6 && written.length <= 6, `${embedded.length} calls, ${written.length} writes`);
  t.deepEqual(await pendingVersions(database), []);
  t.is(await projectMemories(services), 0);
  for (const text of [texts[0], texts[150], texts[299]]) {
    for (const method of ['keyword', 'vector'] as const) t.true((await find(text ?? '', method)).includes(text ?? ''));
  }
});

test('changes that two processes make to the same memories at once are all indexed', async (t) => {
  const { services, database } = await openCounted(t);
  const processes = [services, withParts(services, {})];
  const { caller, writeBatch, find } = await openWorkspace(services);
  const { body } = await writeBatch(['The juniper stands.', 'The elder stands.']);
  const ids = body.results.flatMap((result) => (result.status === 'created' ? [result.memory_id] : []));
  const changes = numbered(6, 'The tree grows').flatMap((memory, number) =>
    ids.map(async (memoryId) => {
      const by = processes[number % 2] ?? services;
      return updateMemory(by, caller, { memoryId, body: { memory }, idempotency: null });
    }),
  );
  for (const { isIndexed } of await Promise.all(changes)) t.true(isIndexed);
  t.deepEqual(await pendingVersions(database), []);
  const last = await query<{ memory: string }>(database, `select memory from memory_versions where valid_to is null`);
  t.deepEqual(await find('tree stands'), last.map(({ memory }) => memory).sort());
});

test('the first memories of a workspace, in two processes at once, are each written once', async (t) => {
  const { services, database, embedded, written, release } = await openCounted(t);
  const [one, other] = [services, withParts(services, {})];
  const { caller, write } = await openWorkspace(one);
  const body = { memory: 'The held alder stands.', memory_type: 'user' as const, topics: [], metadata: {} };
  const held = createMemory(other, caller, { body, idempotency: null });
  await until(
    async () => embedded.length,
    (count) => count === 1,
  );
  t.true((await write('The hazel stands.')).isIndexed, 'creates the tenant');
  release();
  t.true((await held).isIndexed);
  t.deepEqual(await pendingVersions(database), []);
  t.is(await projectMemories(services), 0);
  // The first attempt fails, because there is no tenant yet.
  t.deepEqual(written, [['The hazel stands.'], ['The hazel stands.'], ['The held alder stands.']]);
});

test('memories that fail to be indexed are left to the worker at once, without their lease', async (t) => {
  const { services, database } = await openCounted(t);
  const away = withParts(services, {
    vectors: {
      ...services.vectors,
      rewriteObjects: () => Promise.reject(new AppError('dependency_unavailable', 'away')),
    },
  });
  const { writeBatch, find } = await openWorkspace(away);
  const { status, isIndexed } = await writeBatch(['One rowan.', 'Another rowan.']);
  t.deepEqual([status, isIndexed], [201, false]);
  await until(
    () => query(database, `select id from memories where projecting_until is null`),
    (rows) => rows.length === 2,
  );
  await until(
    () => projectMemories(services),
    (count) => count === 0,
  );
  t.deepEqual(await find('rowan'), ['Another rowan.', 'One rowan.']);
});
