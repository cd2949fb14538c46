import test from 'ava';
import {
  MemoryAnswer,
  MemoryHistory,
  ReplaceMemoryAnswer,
  RETRIEVAL_METHODS,
  SearchMemoriesResponse,
} from '#domain/records/memory.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { CreateMemoriesAnswer } from '#domain/memories/memory-batch.ts';
import { memoryTenant, parseSpace } from '#domain/memories/memory-index.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { takeMemoryCensus } from '#test/support/harness/memory-census.ts';
import { openInsides } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { processes } = testStack();

test.afterEach.always('everything runs again', async () => {
  for (const name of ['postgres', 'temporal', 'weaviate', 'api', 'worker'] as const) await processes[name].start();
});

const INDEXED = ['agentic', 'agentic_vector', 'agentic_hybrid', 'agentic_keyword', 'vector', 'hybrid', 'keyword'];
const write = async (api: ApiClient, path: string, sent: { method: string; json: unknown; status: number }) => {
  const answer = await api.send(path, sent);
  const body: unknown = await answer.json();
  return { status: answer.status, indexing: answer.headers.get('Loci-Indexing'), body };
};
const create = (api: ApiClient, memory: string) =>
  write(api, '/memories', { method: 'POST', json: { user_id: 'ada', memory }, status: 201 });
const search = (api: ApiClient, query: string, retrieval_method: string) =>
  api.post('/memories/search', SearchMemoriesResponse, { json: { query, user_id: 'ada', retrieval_method } });

/** Waits until every search method finds the memory. */
async function foundByAll(api: ApiClient, query: string, expected: string): Promise<void> {
  for (const method of RETRIEVAL_METHODS) {
    await until(
      async () => (await search(api, query, method).catch(() => null))?.memories.map(({ memory }) => memory) ?? [],
      (found) => found.length === 1 && found[0] === expected,
    );
  }
}

test.serial(
  'memories written while Weaviate is unavailable are marked as pending and are found once it is back',
  async (t) => {
    const api = await freshClient();
    const { memory_id } = MemoryAnswer.parse((await create(api, 'Rows on the lake.')).body);
    await processes.weaviate.signal('SIGKILL');
    const updated = await write(api, `/memories/${memory_id}`, {
      method: 'PUT',
      json: { user_id: 'ada', memory: 'Sails on the lake.' },
      status: 200,
    });
    t.deepEqual([updated.status, updated.indexing], [200, 'pending']);
    const json = { user_id: 'ada', memory: 'Swims in the lake.', topics: [], metadata: {} };
    const replaced = await write(api, `/memories/${memory_id}/replace`, { method: 'POST', json, status: 200 });
    t.deepEqual([replaced.status, replaced.indexing], [200, 'pending']);
    t.is(ReplaceMemoryAnswer.parse(replaced.body).old_memory.memory, 'Sails on the lake.');
    const fresh = await create(await freshClient(), 'In a workspace without an index.');
    t.deepEqual([fresh.status, fresh.indexing], [201, 'pending']);
    for (const retrieval_method of INDEXED) {
      const answer = await api.fail('/memories/search', { method: 'POST', json: { query: 'lake', retrieval_method } });
      t.deepEqual([answer.status, answer.code], [503, 'dependency_unavailable'], retrieval_method);
    }
    t.is((await search(api, 'lake', 'last_n')).memories[0]?.memory, 'Swims in the lake.');

    await processes.weaviate.start();
    await foundByAll(api, 'lake', 'Swims in the lake.');
    const history = await api.get(`/memories/${memory_id}/history`, MemoryHistory);
    t.is(history.total_count, 3);
    const second = history.data[1]?.valid_from;
    const then = await until(
      () =>
        api.post('/memories/search', SearchMemoriesResponse, {
          json: { query: 'lake', retrieval_method: 'hybrid', as_of: second },
        }),
      ({ total_results }) => total_results > 0,
    );
    t.is(then.memories[0]?.memory, 'Sails on the lake.');
  },
);

test.serial('a memory deleted while Weaviate is unavailable is removed from the index once it is back', async (t) => {
  const api = await freshClient();
  const insides = openInsides(t);
  const { memory_id } = MemoryAnswer.parse((await create(api, 'Has a locker at the station.')).body);
  const { rows } = await insides.database.raw<{ rows: { index_space: string }[] }>(
    'select index_space from memory_versions where memory_id = ?',
    [memory_id],
  );
  const space = parseSpace(rows[0]?.index_space ?? '');
  const objects = () => insides.vectors.countObjects(space, memoryTenant(api.workspaceId), { contentId: memory_id });
  t.is(await objects(), 1);
  await processes.weaviate.signal('SIGKILL');
  t.is((await api.send(`/memories/${memory_id}`, { method: 'DELETE' })).status, 204);
  await processes.weaviate.start();
  t.is(
    await until(
      () => objects().catch(() => -1),
      (count) => count === 0,
    ),
    0,
  );
});

test.serial('the worker indexes a memory whose writer crashed before indexing it', async (t) => {
  const api = await freshClient();
  await create(api, 'Knows the way to the cave.');
  await processes.weaviate.signal('SIGSTOP');
  const pending = create(api, 'Hid the map in the cave.').catch(() => null);
  const { database } = openInsides(t);
  await until(
    () =>
      database
        .raw(`select 1 from memory_versions where memory = 'Hid the map in the cave.'`)
        .then(({ rows }) => rows.length),
    (rows) => rows === 1,
  );
  await processes.api.signal('SIGKILL');
  await processes.weaviate.signal('SIGCONT');
  t.is(await pending, null);
  await processes.api.start();
  // The worker leaves a write to its request for half a minute; this makes it due at once.
  await database.raw(`update memory_versions set index_due_at = now() where index_state = 'none'`);
  const found = await until(
    () => search(api, 'where is the map', 'hybrid'),
    ({ memories }) => memories.some(({ memory }) => memory === 'Hid the map in the cave.'),
  );
  t.is(found.total_results, 2);
});

test.serial('the worker indexes every memory of a batch whose writer was killed while it wrote them', async (t) => {
  const api = await freshClient();
  const insides = openInsides(t);
  await create(api, 'The ledger has entries.');
  await processes.weaviate.signal('SIGSTOP');
  const texts = Array.from({ length: 150 }, (_, number) => `The ledger has the entry posting${number}.`);
  const json = { memories: texts.map((memory) => ({ user_id: 'ada', memory })) };
  const pending = write(api, '/memories/batch', { method: 'POST', json, status: 201 }).catch(() => null);
  const rows = async (condition: string) => {
    const sql = `select v.memory_id, v.index_space from memory_versions v where v.workspace_id = ? and ${condition}`;
    const found = await insides.database.raw<{ rows: { memory_id: string; index_space: string | null }[] }>(sql, [
      api.workspaceId,
    ]);
    return found.rows;
  };
  await until(
    () => rows('true'),
    (found) => found.length === 151,
  );
  await processes.api.signal('SIGKILL');
  await processes.weaviate.signal('SIGCONT');
  t.is(await pending, null);
  await processes.api.start();
  // The worker leaves a batch to its request for 50 seconds; this ends the wait.
  const workspace = [api.workspaceId];
  await insides.database.raw('update memories set projecting_until = null where workspace_id = ?', workspace);
  await insides.database.raw('update memory_versions set index_due_at = now() where workspace_id = ?', workspace);
  const indexed = await until(
    () => rows(`v.index_state = 'current'`),
    (found) => found.length === 151,
  );
  const space = parseSpace(indexed[0]?.index_space ?? '');
  const tenant = memoryTenant(api.workspaceId);
  const counts = indexed.map(({ memory_id }) => insides.vectors.countObjects(space, tenant, { contentId: memory_id }));
  t.deepEqual([...new Set(await Promise.all(counts))], [1]);
  for (const number of [0, 75, 149]) {
    const { memories } = await search(api, `posting${number}`, 'keyword');
    t.is(memories[0]?.memory, texts[number]);
  }
});

test.serial('forgetting a user completes when worker and API are killed during it', async (t) => {
  const api = await freshClient();
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const memories = Array.from({ length: 600 }, (_, number) => ({ user_id: 'ada', memory: `Owns the boat ${number}.` }));
  await api.post('/memories/batch', CreateMemoriesAnswer, { json: { memories }, status: 201 });
  await create(await freshClient(), 'Of another workspace.');
  const { deletion_id } = await api.get('/memories?user_id=ada', DeletionAccepted, { method: 'DELETE', status: 202 });
  await processes.api.signal('SIGKILL');
  await processes.worker.signal('SIGKILL');
  await processes.api.start();
  await processes.worker.start();
  const receipt = () => api.get(`/deletions/${deletion_id}`, Deletion);
  await until(receipt, ({ status, removed }) => status === 'completed' || removed.index_objects > 0);
  await processes.worker.signal('SIGKILL');
  await processes.worker.start();
  const done = await until(receipt, ({ status }) => status === 'completed');
  t.deepEqual([done.removed.memories, done.removed.index_objects], [600, 600]);
  t.not(done.verified_at, null);
  t.deepEqual(await takeMemoryCensus(behind, api.workspaceId), { memories: {}, lost: [], orphaned: [] });
  const open = () =>
    behind.query('select 1 from outbox where workspace_id = :workspaceId', { workspaceId: api.workspaceId });
  t.deepEqual(await until(open, (rows) => rows.length === 0), []);
});
