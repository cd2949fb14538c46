import test, { type ExecutionContext } from 'ava';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { MemoryAnswer, MemoryList, RETRIEVAL_METHODS, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { CreateMemoriesAnswer } from '#domain/memories/memory-batch.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { until } from '#test/support/harness/eventually.ts';
import { takeMemoryCensus } from '#test/support/harness/memory-census.ts';
import { testStack } from '#test/support/harness/stack.ts';

function openBehind(t: ExecutionContext) {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  return behind;
}

const create = (api: ApiClient, json: Record<string, unknown>) =>
  api.post('/memories', MemoryAnswer, { json, status: 201 });
const createMany = (api: ApiClient, user_id: string, count: number) => {
  const memories = Array.from({ length: count }, (_, number) => ({ user_id, memory: `Owns the boat ${number}.` }));
  return api.post('/memories/batch', CreateMemoriesAnswer, { json: { memories }, status: 201 });
};
const forget = (api: ApiClient, user: string) =>
  api.get(`/memories?user_id=${user}`, DeletionAccepted, { method: 'DELETE', status: 202 });
const verified = (api: ApiClient, { deletion_id }: DeletionAccepted) =>
  until(
    () => api.get(`/deletions/${deletion_id}`, Deletion),
    ({ status }) => status === 'completed',
  );

test('forgetting a user deletes every memory, version and index object of that user, and ends in a receipt', async (t) => {
  const api = await freshClient();
  const behind = openBehind(t);
  await createMany(api, 'ada', 250);
  const { memory_id } = await create(api, { user_id: 'ada', memory: 'Rows a boat.', memory_type: 'team' });
  for (const memory of ['Sails a boat.', 'Sinks a boat.'])
    await api.get(`/memories/${memory_id}`, MemoryAnswer, { method: 'PUT', json: { user_id: 'ada', memory } });
  await create(api, { user_id: 'bob', memory: 'Has no boat.' });
  t.deepEqual(await takeMemoryCensus(behind, api.workspaceId), {
    memories: { ada: 251, bob: 1 },
    lost: [],
    orphaned: [],
  });

  const accepted = await forget(api, 'ada');
  t.is((await api.get('/memories?user_id=ada&include_superseded=true', MemoryList)).total_count, 0);
  t.is((await api.send(`/memories/${memory_id}`)).status, 404);
  for (const retrieval_method of RETRIEVAL_METHODS) {
    const json = { query: 'boat', retrieval_method };
    const { memories } = await api.post('/memories/search', SearchMemoriesResponse, { json });
    t.deepEqual(
      memories.map(({ user_id }) => user_id),
      ['bob'],
      retrieval_method,
    );
  }
  const receipt = await verified(api, accepted);
  t.like(receipt, { kind: 'user_memories', user_id: 'ada', workspace_id: api.workspaceId });
  t.deepEqual([receipt.removed.memories, receipt.removed.index_objects], [251, 253]);
  t.not(receipt.verified_at, null);
  t.deepEqual(await takeMemoryCensus(behind, api.workspaceId), { memories: { bob: 1 }, lost: [], orphaned: [] });

  await create(api, { user_id: 'ada', memory: 'Buys a boat.' });
  t.is((await api.get('/memories?user_id=ada', MemoryList)).total_count, 1, 'later memories stay');
  const nobody = await verified(api, await forget(api, 'nobody'));
  t.is(nobody.removed.memories, 0);
});

test('forgetting needs a user, and deletes nothing in another workspace', async (t) => {
  const [api, other] = [await freshClient(), await freshClient()];
  for (const one of [api, other]) await create(one, { user_id: 'ada', memory: 'Rows.' });
  const { status, problems } = await api.fail('/memories', { method: 'DELETE' });
  t.deepEqual([status, problems], [422, ['query.user_id missing']]);
  t.is((await verified(api, await forget(api, 'ada'))).removed.memories, 1);
  t.is((await other.get('/memories?user_id=ada', MemoryList)).total_count, 1);
});
