import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { memoryFacets, memoryFilter, memoryTenant } from '#domain/memories/memory-index.ts';
import { memoryObjectId } from '#domain/memories/memory-ids.ts';
import { createMemory } from '#operations/memories/create-memory.ts';
import { createMemoryIndexer } from '#operations/memories/memory-indexer.ts';
import { deleteMemory } from '#operations/memories/delete-memory.ts';
import { projectMemories } from './project-memories.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { updateMemory } from '#operations/memories/update-memory.ts';
import type { Services } from '#operations/services.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { userOf } from '#test/support/harness/content-runs.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

async function openWorkspace(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const workspaceId = await services.stores.system.insertWorkspace('with memories');
  const caller = userOf(workspaceId);
  const write = (memory: string, by: Services = services) =>
    createMemory(by, caller, { body: { memory, memory_type: 'user', topics: [], metadata: {} }, idempotency: null });
  const find = async (text: string, by: Services = services) => {
    const found = await searchMemories(by, caller, { query: text, retrieval_method: 'keyword', limit: 10 });
    return found.memories.map(({ memory }) => memory);
  };
  return { services, database, caller, workspaceId, tenant: memoryTenant(workspaceId), write, find };
}

/** Returns the services of an instance that is configured with another embedder. */
function withEmbedder(services: Services, change: Partial<Embedder>): Services {
  const lexical = createLexicalEmbedder();
  const embedder = { ...lexical, space: { ...lexical.space, model: 'another' }, ...change };
  const embedders = createEmbedderSet(embedder);
  return { ...services, embedders, memoryIndexer: createMemoryIndexer({ ...services, embedders }) };
}

test('searching a lost memory index fails, and the worker indexes the memories again', async (t) => {
  const { services, tenant, write, find } = await openWorkspace(t);
  const { space } = services.embedders.preferred;
  t.deepEqual(await find('telescope'), [], 'no memory was written yet');
  await write('Built a telescope.');
  await services.vectors.dropTenant(space, tenant);
  const error = await t.throwsAsync(find('telescope'), { instanceOf: AppError });
  t.is(error.code, 'dependency_unavailable');
  t.true((await projectMemories(services)) > 0);
  t.deepEqual(await find('telescope'), ['Built a telescope.']);
  t.is(await projectMemories(services), 0, 'no work is left');
});

test('memories are restored after a loss of the index, even when a write happens first', async (t) => {
  const { services, tenant, write, find } = await openWorkspace(t);
  await write('Built a telescope.');
  await services.vectors.dropTenant(services.embedders.preferred.space, tenant);
  t.true((await write('Built a microscope.')).isIndexed);
  await until(
    () => projectMemories(services),
    (count) => count === 0,
  );
  t.deepEqual(await find('telescope'), ['Built a telescope.']);
  t.deepEqual(await find('microscope'), ['Built a microscope.']);
});

test('with another embedder, every memory is embedded again, and the old index is dropped', async (t) => {
  const { services, tenant, write, find } = await openWorkspace(t);
  await write('Breeds canaries.');
  const other = withEmbedder(services, {});
  t.deepEqual(
    await find('canaries', other).catch((error: unknown) => error instanceof AppError && error.code),
    'dependency_unavailable',
  );
  await until(
    () => projectMemories(other),
    (count) => count === 0,
  );
  t.deepEqual(await find('canaries', other), ['Breeds canaries.']);
  t.false(await services.vectors.tenantExists(services.embedders.preferred.space, tenant));
});

test('a memory deleted before it is indexed by a new embedder leaves nothing in the old index', async (t) => {
  const { services, caller, tenant, write } = await openWorkspace(t);
  const { space } = services.embedders.preferred;
  const { memory_id } = (await write('Owes the miller two sacks.')).body;
  t.is(await services.vectors.countObjects(space, tenant, { contentId: memory_id }), 1);
  const other = withEmbedder(services, {});
  await deleteMemory(other, caller, memory_id);
  await projectMemories(other);
  t.is(await services.vectors.countObjects(space, tenant, { contentId: memory_id }), 0);
});

test('objects that a stalled process writes for a deleted memory are not returned and are removed', async (t) => {
  const { services, database, caller, workspaceId, tenant, write, find } = await openWorkspace(t);
  const { space } = services.embedders.preferred;
  const { memory_id } = (await write('Owes the baker nine euros.')).body;
  const [vector] = await services.embedders.preferred.embed(['x'], 'document');
  await deleteMemory(services, caller, memory_id);
  await until(
    () => services.vectors.countObjects(space, tenant, { contentId: memory_id }),
    (count) => count === 0,
  );
  const facets = memoryFacets({ user_id: 'ada', memory_type: 'user', valid_from: new Date(0), valid_to: null });
  const late = { id: memoryObjectId(memory_id, 1), content_id: memory_id, version: 1, text: 'Owes the baker.', facets };
  await services.vectors.writeObjects(space, tenant, [{ ...late, vector: vector ?? new Float32Array() }]);
  t.deepEqual(await find('baker'), []);
  await query(database, 'update memory_residues set due_at = now() where workspace_id = :workspaceId', { workspaceId });
  await projectMemories(services);
  t.is(await services.vectors.countObjects(space, tenant, { contentId: memory_id }), 0);
});

test('a workspace whose objects cannot be removed does not hold up others, and no pass is spent on it', async (t) => {
  const { services, database, caller, tenant, write } = await openWorkspace(t);
  const { space } = services.embedders.preferred;
  const elsewhere = { workspaceId: await services.stores.system.insertWorkspace('elsewhere'), collectionIds: null };
  const { memory_id } = (await write('Owes the smith a horse.')).body;
  const body = { memory: 'Owes the smith a cow.', memory_type: 'user' as const, topics: [], metadata: {} };
  const there = await createMemory(services, { ...caller, scope: elsewhere }, { body, idempotency: null });
  const stuck = there.body.memory_id;
  await services.stores.memories.delete(elsewhere, stuck);
  await query(database, `update memory_residues set due_at = now() - interval '1 second'`);
  await services.stores.memories.delete(caller.scope, memory_id);
  const failing = {
    ...services,
    vectors: {
      ...services.vectors,
      deleteContents: (...args: Parameters<typeof services.vectors.deleteContents>) => {
        if (args[1] !== tenant) throw new AppError('dependency_unavailable', 'refused');
        return services.vectors.deleteContents(...args);
      },
    },
  };
  t.is(await projectMemories(failing), 2);
  t.is(await services.vectors.countObjects(space, tenant, {}), 0);
  await query(database, 'update memory_residues set due_at = now() where memory_id = :stuck', { stuck });
  await t.throwsAsync(projectMemories(failing), { message: 'refused' });
  const passes = () => query(database, 'select passes from memory_residues order by memory_id = :stuck', { stuck });
  t.deepEqual(await passes(), [{ passes: 1 }, { passes: 0 }]);
  await query(database, 'update memory_residues set due_at = now() where memory_id = :stuck', { stuck });
  await projectMemories(services);
  t.is(await services.vectors.countObjects(space, memoryTenant(elsewhere.workspaceId), {}), 0);
  t.deepEqual(await passes(), [{ passes: 1 }, { passes: 1 }]);
  await query(database, 'update memory_residues set due_at = now(), passes = 6');
  await projectMemories(services);
  t.deepEqual(await passes(), [], 'this was the last pass');
});

test('a text that the embedder rejects does not block other memories', async (t) => {
  const { services, database, write, find } = await openWorkspace(t);
  const lexical = createLexicalEmbedder();
  const picky = withEmbedder(services, {
    space: lexical.space,
    embed: async (texts, purpose) => {
      if (texts.some((text) => text.includes('unspeakable'))) throw new AppError('embedding_rejected', 'refused');
      return lexical.embed(texts, purpose);
    },
  });
  t.false((await write('An unspeakable thing.', picky)).isIndexed);
  t.true((await write('A plain thing.', picky)).isIndexed);
  await query(database, `update memory_versions set index_state = 'none', index_due_at = now()`);
  await projectMemories(picky);
  t.deepEqual(await find('thing', picky), ['A plain thing.']);
});

test('a worker that embeds longer than its lease does not write over what others have written since', async (t) => {
  const { services, database, caller, tenant, write } = await openWorkspace(t);
  const { space } = services.embedders.preferred;
  const { memory_id } = (await write('Lives in Ghent.')).body;
  const lexical = createLexicalEmbedder();
  const slow = withEmbedder(services, {
    space,
    embed: async (texts, purpose) => {
      await query(database, `update memories set projecting_until = now() - interval '1 second'`);
      const moved = await updateMemory(services, caller, {
        memoryId: memory_id,
        body: { memory: 'Lives in Antwerp.' },
        idempotency: null,
      });
      t.true(moved.isIndexed);
      return lexical.embed(texts, purpose);
    },
  });
  await query(database, `update memory_versions set index_state = 'none', index_due_at = now()`);
  await projectMemories(slow);
  const filter = memoryFilter({ userId: 'ada', asOf: null });
  const lives = { type: 'keyword' as const, queryText: 'lives', queryVector: null, filter, limit: 10 };
  const hits = await services.vectors.search(space, tenant, lives);
  t.deepEqual(
    hits.map(({ id }) => id),
    [memoryObjectId(memory_id, 2)],
    'the first version is no longer current',
  );
});
