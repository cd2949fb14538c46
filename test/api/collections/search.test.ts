import test from 'ava';
import { Chunk, ChunkPage } from '#domain/records/chunk.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { freshClient } from '#test/support/harness/api-client.ts';

const texts = [
  'Otters hold hands while they sleep.',
  'The harbour freezes in January.',
  'Bread needs salt, water and time.',
];

async function uploadTexts() {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const { uploads } = await api.upload(
    id,
    texts.map((text, index) => ['files', new File([text], `${index}.txt`)] as const),
  );
  return { api, collectionId: id, contentIds: uploads.map(({ content_id }) => content_id) };
}

test('chunks are paged, filtered and read one by one', async (t) => {
  const { api, collectionId, contentIds } = await uploadTexts();
  const first = await api.get('/chunks?limit=2', ChunkPage);
  t.like(first, { total_count: 3, has_more: true });
  const second = await api.get(`/chunks?limit=2&cursor=${first.next_cursor}`, ChunkPage);
  t.like(second, { has_more: false, next_cursor: null });
  const all = [...first.chunks, ...second.chunks];
  t.deepEqual(all.map(({ content }) => content).sort(), texts.toSorted());
  const one = all[0];
  t.like(one, { collection_id: collectionId, chunk_index: 0, embedding: null, size: one?.content.length ?? 0 });
  t.deepEqual(await api.get(`/chunks/${one?.id ?? ''}`, Chunk), one);
  const withVector = await api.get(`/chunks/${one?.id ?? ''}?include_embedding=true`, Chunk);
  t.is(withVector.embedding?.length, 1024);
  const ofContent = await api.get(
    `/chunks?content_id=${contentIds[1]}&collection_id=${collectionId}&include_embedding=1`,
    ChunkPage,
  );
  t.deepEqual(
    ofContent.chunks.map(({ content }) => content),
    [texts[1]],
  );
  t.is(ofContent.chunks[0]?.embedding?.length, 1024);
});

test('the limit of a list of chunks is 1 to 500, and an unknown chunk answers 404', async (t) => {
  const api = await freshClient();
  for (const limit of [1, 500]) t.is((await api.send(`/chunks?limit=${limit}`)).status, 200);
  for (const limit of [0, 501]) t.is((await api.fail(`/chunks?limit=${limit}`)).status, 422);
  const problems = await api.fail('/chunks?limit=many&include_embedding=perhaps&cursor=');
  t.deepEqual(problems.problems.sort(), [
    'query.cursor too_small',
    'query.include_embedding invalid_value',
    'query.limit invalid_format',
  ]);
  for (const id of ['nonsense', '0198c0de-0000-7000-8000-00000000000c'])
    t.is((await api.fail(`/chunks/${id}`)).status, 404);
});

test('every search type finds the sentence and is named in the response', async (t) => {
  const { api, collectionId, contentIds } = await uploadTexts();
  for (const search_type of ['vector', 'keyword', 'hybrid'] as const) {
    const json = { query: 'otters sleep', collection_id: collectionId, search_type, max_results: 1 };
    const answer = await api.post('/collections/search', SearchResponse, { json });
    t.like(answer, { query: 'otters sleep', search_type, collection_id: collectionId, total_results: 1 });
    t.like(answer.results[0], { content: texts[0], content_id: contentIds[0], source: '0.txt' });
  }
  const plain = await api.post('/collections/search', SearchResponse, {
    json: { query: 'bread', collection_id: collectionId },
  });
  t.is(plain.search_type, 'hybrid');
});

test('every validation error of a search is reported', async (t) => {
  const { api, collectionId } = await uploadTexts();
  const search = (json: unknown) => api.fail('/collections/search', { method: 'POST', json });
  const bad = await search({ query: '', search_type: 'psychic', filters: [], max_results: 0, extra: 1 });
  t.is(bad.status, 422);
  t.deepEqual(bad.problems.sort(), [
    'body.collection_id missing',
    'body.extra unrecognized_keys',
    'body.filters invalid_type',
    'body.max_results too_small',
    'body.query too_small',
    'body.search_type invalid_value',
  ]);
  const send = async (max_results: number) =>
    (
      await api.send('/collections/search', {
        method: 'POST',
        json: { query: 'x', collection_id: collectionId, max_results },
      })
    ).status;
  t.deepEqual(await Promise.all([1, 100, 101].map(send)), [200, 200, 422]);
  const filters = await search({ query: 'x', collection_id: collectionId, filters: { lang: { $near: 1 } } });
  t.is(filters.status, 422);
  t.true(filters.problems[0]?.startsWith('body.filters'));
  for (const id of ['nonsense', '0198c0de-0000-7000-8000-00000000000c']) {
    t.is((await search({ query: 'x', collection_id: id })).status, 404);
  }
});

test('a result says where its chunk is in the document, and with `explain` how each search ranked it', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  await api.upload(id, [
    ['file', new File(['# Sea\n\n## Otters\n\nOtters hold hands while they sleep.'], 'otters.md')],
  ]);
  const search = async (asked: object) =>
    (
      await api.post('/collections/search', SearchResponse, {
        json: { collection_id: id, query: 'otters hold hands', ...asked },
      })
    ).results[0];
  const plain = await search({});
  t.like(plain?.metadata.chunk, { index: 0, page: null, heading_path: ['Sea', 'Otters'], start: 0 });
  t.true((plain?.chunk.end ?? 0) > 35 && (plain?.chunk.tokens ?? 0) > 5);
  t.deepEqual(plain?.chunk, plain?.metadata.chunk);
  t.is(plain?.explain, undefined);
  const { keyword, vector } = (await search({ explain: true }))?.explain ?? {};
  t.is(keyword?.rank, 1);
  t.is(vector?.rank, 1);
  t.true((keyword?.score ?? 0) > 0 && (vector?.score ?? 0) > 0.3);
  t.is((await search({ explain: true, search_type: 'keyword' }))?.explain?.vector, null);
});

test('a key `chunk` of a content’s own metadata stays as it was stored', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  await api.upload(id, [
    ['file', new File(['Otters hold hands.'], 'otters.txt')],
    ['metadata', JSON.stringify({ chunk: 'of wood', lang: 'en' })],
  ]);
  const json = { collection_id: id, query: 'otters' };
  const { results } = await api.post('/collections/search', SearchResponse, { json });
  t.deepEqual(results[0]?.metadata, { chunk: 'of wood', lang: 'en' });
  t.like(results[0]?.chunk, { index: 0, start: 0 });
});

test('`source` filters by the file name that results show, and by the kind of source', async (t) => {
  const { api, collectionId } = await uploadTexts();
  const namesOf = async (source: unknown) => {
    const json = { collection_id: collectionId, query: 'otters', search_type: 'vector', filters: { source } };
    const { results } = await api.post('/collections/search', SearchResponse, { json });
    return results.map((result) => result.source).toSorted();
  };
  t.deepEqual(await namesOf('1.txt'), ['1.txt']);
  t.deepEqual(await namesOf({ $in: ['0.txt', '2.txt', 'x'] }), ['0.txt', '2.txt']);
  t.deepEqual(await namesOf({ $ne: '1.txt' }), ['0.txt', '2.txt']);
  t.is((await namesOf('file')).length, 3);
});

test('a filter on a field that no chunk has is refused with those that there are, in searches and their explanation', async (t) => {
  const { api, collectionId } = await uploadTexts();
  const filters = { 'chunk.index': 0, $or: [{ 'chunk.id': 'x' }, { 'chunk.page.x': 1 }], 'chunk.start': 0 };
  for (const [path, asked] of [
    ['/collections/search', { collection_id: collectionId }],
    ['/collections/search/explain', { content_id: collectionId }],
  ] as const) {
    const refused = await api.fail(path, { method: 'POST', json: { query: 'otters', filters, ...asked } });
    t.is(refused.status, 422, path);
    const keys = ['$or.0.chunk.id', '$or.1.chunk.page.x', 'chunk.index'];
    t.deepEqual(
      refused.problems.toSorted(),
      keys.map((key) => `body.filters.${key} unknown_field`),
      path,
    );
    t.regex(JSON.stringify(refused.body.detail), /which have chunk.page, chunk.heading_path, .*chunk.tokens/, path);
  }
});
