import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { Content } from '#domain/records/content.ts';
import { Reembedding, ReembeddingList } from '#domain/records/reindexing.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { LEXICAL_DIMENSIONS } from '#providers/embedders/lexical-vector.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';
import { idsOf } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openOwnMachine } from './own-machine.ts';

const { LOCI_EMBEDDER: provider, LOCI_EMBEDDER_FOLDER: folder } = testStack().environment;
/** The model of the stack, which is loaded when it is needed; a server on machines without one. */
const local = { provider: 'local', model: 'all-MiniLM-L6-v2', folder, threads: 1 };

function settingsFor({ baseUrl }: { baseUrl: string }) {
  const server = { provider: 'openai', base_url: baseUrl, dimensions: LEXICAL_DIMENSIONS };
  const mini = provider === 'local' ? local : { ...server, model: 'mini' };
  const LOCI_EMBEDDERS = JSON.stringify({ mini, tei: { ...server, model: 'bge', query_prefix: 'find: ' } });
  return { LOCI_EMBEDDERS };
}

const search = (api: ApiClient, collectionId: string, type = 'vector') =>
  api.post('/collections/search', SearchResponse, {
    json: { query: 'the sundial', collection_id: collectionId, search_type: type },
  });
/** Of a long question, which shares one word with the text. */
const relevanceOf = async (api: ApiClient, collectionId: string, type: string) => {
  const query = 'By which instrument did people read the hour from a shadow before clocks, perhaps a sundial?';
  const asked = { query, collection_id: collectionId, search_type: type, min_score: 0 };
  const { results } = await api.post('/collections/search', SearchResponse, { json: asked });
  return results[0]?.relevance ?? NaN;
};
const isReady = (api: ApiClient, id: string) =>
  until(
    () => api.get(`/contents/${id}`, Content),
    ({ status }) => status === 'ready',
  );

test('collections have embedders of their own, and change between them; without one, only its collections wait', async (t) => {
  t.timeout(480_000);
  const machine = await openOwnMachine(t, settingsFor);
  const { api, path, collectionId: changing, server } = machine;
  const create = (json: object) => api.post('/collections', Collection, { json: { name: 'c', ...json }, status: 201 });
  const served = await create({ embedding: { name: 'tei' } });
  t.like(served.embedding, { provider: 'openai', model: 'bge', dimensions: LEXICAL_DIMENSIONS });
  const plain = await create({});
  t.is(plain.embedding.model, 'next');
  const ready = (await (await fetch(`${machine.apiUrl}/readyz`)).json()) as { embedders: { name: string }[] };
  t.deepEqual(
    ready.embedders.map(({ name }) => name),
    ['default', 'mini', 'tei', 'lexical'],
  );
  const several = await api.fail(path, { method: 'POST', json: { embedding: { name: 'nobody' } } });
  t.deepEqual([several.status, several.problems], [422, ['body.embedding embedder_unavailable']]);

  for (const { id } of [served, plain, { id: changing }]) {
    const [contentId] = idsOf(await api.upload(id, [['content', 'The sundial shows noon.']]));
    await isReady(api, contentId);
    t.is((await search(api, id)).results.length, 1);
  }
  const inputs = (model: string) => server.requests.flatMap((one) => (one.model === model ? one.input : []));
  t.deepEqual(inputs('bge'), ['The sundial shows noon.', 'find: the sundial']);

  await api.post(path, Reembedding, { json: { embedding: { name: 'mini' } }, status: 202 });
  const change = await until(
    async () => {
      t.is((await search(api, changing)).results.length, 1, 'searches go on');
      return machine.read();
    },
    ({ switched_at }) => switched_at !== null,
  );
  t.is(change.to.model, provider === 'local' ? 'all-MiniLM-L6-v2' : 'mini');
  t.is((await search(api, changing)).results.length, 1);
  const rated = await relevanceOf(api, changing, 'keyword');
  t.is(rated, await relevanceOf(api, changing, 'vector'), 'vectors tell more than one word of a question');
  await machine.endWait(change.id);
  const ended = await until(machine.read, ({ status }) => status === 'completed');
  t.deepEqual((await api.get('/reembeddings?status=completed', ReembeddingList)).data, [ended]);

  const later = await machine.restart({ LOCI_EMBEDDERS: '' });
  const refused = await later.fail('/collections/search', {
    method: 'POST',
    json: { query: 'the sundial', collection_id: changing, search_type: 'vector' },
  });
  t.deepEqual([refused.status, refused.code], [409, 'conflict']);
  t.regex(JSON.stringify(refused.body), /not configured.*LOCI_EMBEDDERS.*keyword.*reembed/);
  t.is((await search(later, changing, 'keyword')).results.length, 1);
  const byWords = await relevanceOf(later, changing, 'keyword');
  t.true(byWords >= 0 && byWords !== rated, `words alone decide: ${byWords}`);
  const [failedId] = idsOf(await later.upload(changing, [['content', 'The sundial is new.']]));
  const failed = await until(
    () => later.get(`/contents/${failedId}`, Content),
    ({ status }) => status === 'failed',
  );
  t.regex(failed.status_message ?? '', /not configured.*LOCI_EMBEDDERS.*reembed.*retry/);
  const [otherId] = idsOf(await later.upload(plain.id, [['content', 'Another sundial.']]));
  await isReady(later, otherId);
  t.is((await search(later, plain.id)).results.length, 2, 'other collections go on');

  await later.post(path, Reembedding, { json: { embedding: { name: 'default' } }, status: 202 });
  await until(
    () => later.get(path, Reembedding),
    ({ switched_at }) => switched_at !== null,
  );
  t.is((await search(later, changing)).results.length, 1, 'it has an embedder again');
  await later.post(`/contents/${failedId}/retry`, Content);
  await isReady(later, failedId);
  t.is((await search(later, changing)).results.length, 2);
});
