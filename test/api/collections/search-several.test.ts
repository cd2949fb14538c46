import test from 'ava';
import { SearchResponse } from '#domain/records/search.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { apiClient, createKey, type ApiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** Collections about the sea and about bread, and an empty one. */
async function world() {
  const { key, workspaceId } = await createKey();
  const api = apiClient(key);
  const make = async (name: string, texts: readonly string[]) => {
    const { id } = await api.createCollection(name);
    const files = texts.map((text, index) => ['files', new File([text], `${name}-${index}.txt`)] as const);
    if (texts.length > 0) await api.upload(id, files);
    return id;
  };
  const sea = await make('sea', ['Otters hold hands while they sleep.', 'The harbour freezes in January.']);
  const bread = await make('bread', ['Bread needs salt, water and time.', 'Sleepy bakers start at three.']);
  return { api, workspaceId, sea, bread, empty: await make('empty', []) };
}

const searchIn = (api: ApiClient, collection_ids: readonly string[], asked: object = {}) =>
  api.post('/collections/search', SearchResponse, { json: { query: 'otters sleep', collection_ids, ...asked } });

test('several collections answer with one ranking, and each hit names its collection', async (t) => {
  const { api, sea, bread, empty } = await world();
  for (const search_type of ['vector', 'keyword', 'hybrid'] as const) {
    const answer = await searchIn(api, [bread, sea, empty], { search_type, explain: true });
    t.like(answer, { collection_id: null, failed_collections: [], search_type });
    t.like(answer.results[0], { collection_id: sea, content: 'Otters hold hands while they sleep.', score: 1 });
    t.is(answer.results[0]?.explain?.[search_type === 'keyword' ? 'keyword' : 'vector']?.rank, 1);
    const scores = answer.results.map(({ score }) => score);
    t.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  }
  const both = await searchIn(api, [bread, sea], { query: 'bread harbour', search_type: 'keyword' });
  t.deepEqual(both.results.map(({ collection_id }) => collection_id).toSorted(), [bread, sea].toSorted());
  const one = await searchIn(api, [bread, sea], { filters: { name: 'bread-0.txt' } });
  t.deepEqual(
    one.results.map(({ source }) => source),
    ['bread-0.txt'],
  );
  t.is((await searchIn(api, [bread, sea], { max_results: 1 })).total_results, 1);
  t.is((await searchIn(api, [empty])).total_results, 0);
});

test('without ids every collection is searched that the key reaches, and no other', async (t) => {
  const { api, workspaceId, sea, bread } = await world();
  const collectionsOf = (answer: SearchResponse) =>
    [...new Set(answer.results.map(({ collection_id }) => collection_id))].toSorted();
  t.deepEqual(collectionsOf(await searchIn(api, [])), [sea, bread].toSorted());
  const limited = apiClient((await createKey({ workspaceId, collections: [bread] })).key);
  t.deepEqual(collectionsOf(await searchIn(limited, [])), [bread]);
  const refused = await limited.fail('/collections/search', {
    method: 'POST',
    json: { query: 'x', collection_ids: [bread, sea] },
  });
  t.is(refused.status, 404);
});

test('a collection that fails is named with its code, and the others answer', async (t) => {
  const { api, sea, bread } = await world();
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  await query(
    database,
    `update index_generations set provider = 'openai', model = 'elsewhere' where collection_id = :bread`,
    { bread },
  );
  const answer = await searchIn(api, [sea, bread]);
  t.is(answer.results[0]?.collection_id, sea);
  t.like(answer.failed_collections, { 0: { collection_id: bread, code: 'conflict' }, length: 1 });
  t.regex(answer.failed_collections?.[0]?.message ?? '', /openai\/elsewhere.*not configured/);
  const alone = await api.fail('/collections/search', {
    method: 'POST',
    json: { query: 'x', collection_ids: [bread] },
  });
  t.is(alone.status, 409);
});

test('a search names one collection or a list of them, up to 50', async (t) => {
  const { api, sea } = await world();
  const search = (json: object) => api.fail('/collections/search', { method: 'POST', json: { query: 'x', ...json } });
  t.deepEqual((await search({})).problems, ['body.collection_id missing']);
  t.deepEqual((await search({ collection_id: sea, collection_ids: [sea] })).problems, [
    'body.collection_ids conflicting_fields',
  ]);
  t.deepEqual((await search({ collection_ids: Array.from({ length: 51 }, () => sea) })).problems, [
    'body.collection_ids too_big',
  ]);
});
