import test from 'ava';
import { z } from 'zod';
import { encodeCursor } from '#domain/cursor.ts';
import { FILTER_LIMITS } from '#domain/filters/filter-problems.ts';
import { CollectionList } from '#domain/records/collection.ts';
import { Content, ContentChunksResponse } from '#domain/records/content.ts';
import { MAX_JSON_PATH_CHARACTERS } from '#domain/records/fields.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { formFor, freshClient } from '#test/support/harness/api-client.ts';

async function createSearchableText() {
  const api = await freshClient();
  const { id: collectionId } = await api.createCollection('c');
  const { uploads } = await api.upload(collectionId, [['content', 'Zebras cross the plain.']]);
  const search = (json: Record<string, unknown>) =>
    api.fail('/collections/search', { method: 'POST', json: { query: 'zebra', collection_id: collectionId, ...json } });
  return { api, collectionId, contentId: uploads[0]?.content_id ?? '', search };
}

test('ids are case-insensitive', async (t) => {
  const { api, collectionId, contentId } = await createSearchableText();
  const json = { query: 'zebras', collection_id: collectionId.toUpperCase() };
  const found = await api.post('/collections/search', SearchResponse, { json });
  t.like(found, { total_results: 1, collection_id: collectionId });
  const path = `/contents/${contentId.toUpperCase()}/chunks?collection_id=${collectionId.toUpperCase()}`;
  t.like(await api.get(path, ContentChunksResponse), { content_id: contentId, collection_id: collectionId });
  const again = formFor(collectionId.toUpperCase(), [['content', 'Zebras cross the plain.']]);
  const upload = await api.post('/upload', UploadResponse, { body: again, status: 202 });
  t.like(upload, { collection_id: collectionId, uploads: [{ content_id: contentId, duplicate: true }] });
});

test('rejects a NUL byte in a name search with 422', async (t) => {
  const api = await freshClient();
  const { status, problems } = await api.fail('/collections?search=a%00b');
  t.is(status, 422);
  t.deepEqual(problems, ['query.search custom']);
  t.like(await api.get('/collections?search=%F0%9F%A6%93', CollectionList), { total_count: 0 });
});

test('a forged cursor never causes a server error, whatever numbers it holds', async (t) => {
  const { api, collectionId, contentId } = await createSearchableText();
  const far = 2 ** 40;
  const chunks = encodeCursor({ list: 'chunks', filters: {} }, [0, far]);
  const ofContent = encodeCursor({ list: 'content-chunks', filters: { contentId, collectionId } }, [1, far]);
  for (const path of [
    `/chunks?cursor=${chunks}`,
    `/contents/${contentId}/chunks?collection_id=${collectionId}&cursor=${ofContent}`,
  ]) {
    const { status, problems } = await api.fail(path);
    t.is(status, 422, path);
    t.deepEqual(problems, ['query.cursor cursor_invalid']);
  }
  for (const time of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    const cursor = encodeCursor({ list: 'contents', filters: {} }, [time, contentId]);
    t.is((await api.send(`/contents?cursor=${cursor}`)).status, 200);
  }
});

test('filter errors are reported together with all other validation errors', async (t) => {
  const { search } = await createSearchableText();
  const { status, problems } = await search({ max_results: 0, filters: { a: { $near: 1 }, b: { $in: 3 } } });
  t.is(status, 422);
  t.deepEqual(problems.sort(), [
    'body.filters.a.$near unknown_operator',
    'body.filters.b.$in filter_type',
    'body.max_results too_small',
  ]);
});

test('the size of an error response is bounded, however many errors and however long the names', async (t) => {
  const { search } = await createSearchableText();
  const operators = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`$${index}`, 1]));
  const few = await search({ filters: { a: operators(500) } });
  t.is(few.problems.length, FILTER_LIMITS.maxProblems, 'the rest is not read');
  const named = await search({ filters: { ['k'.repeat(900)]: operators(100) } });
  t.is(named.problems.length, 100);
  t.true(JSON.stringify(named.body).length < 50_000);
});

test('filter keys and metadata paths have matching maximum lengths', async (t) => {
  const { api, collectionId, search } = await createSearchableText();
  const longest = 'k'.repeat(FILTER_LIMITS.maxKeyCharacters);
  const json = { query: 'zebra', collection_id: collectionId, filters: { [longest]: 1 } };
  t.is((await api.post('/collections/search', SearchResponse, { json })).total_results, 0);
  t.is((await search({ filters: { [`${longest}k`]: 1 } })).problems.length, 1);
  const upload = async (pathCharacters: number) => {
    const metadata = JSON.stringify({ a: { ['k'.repeat(pathCharacters - 2)]: 'found' } });
    const entries = [
      ['content', `about ${pathCharacters}`],
      ['metadata', metadata],
    ] as const;
    return api.send('/upload', {
      method: 'POST',
      body: formFor(collectionId, entries),
      headers: { Prefer: 'wait=60' },
    });
  };
  t.is((await upload(MAX_JSON_PATH_CHARACTERS)).status, 202);
  t.is((await upload(MAX_JSON_PATH_CHARACTERS + 1)).status, 400);
  const filters = { [`metadata.a.${'k'.repeat(MAX_JSON_PATH_CHARACTERS - 2)}`]: 'found' };
  const found = await api.post('/collections/search', SearchResponse, { json: { ...json, filters } });
  t.is(found.total_results, 1);
});

test('a key __proto__ and a number beyond the range are rejected, wherever they are', async (t) => {
  const { api, collectionId, contentId } = await createSearchableText();
  const send = async (path: string, method: string, body: string) => {
    const answer = await api.fail(path, { method, body, headers: { 'Content-Type': 'application/json' } });
    return [answer.status, ...answer.problems];
  };
  const search = `{"query":"zebra","collection_id":"${collectionId}","filters":{"__proto__":{"$eq":1}}}`;
  t.deepEqual(await send('/collections/search', 'POST', search), [422, 'body invalid_key']);
  const stats = `/collections/${collectionId}/stats`;
  t.deepEqual(await send(stats, 'PUT', '{"stats":{"a":[{"\\u005f_proto__":1}]}}'), [422, 'body invalid_key']);
  t.deepEqual(await send(`/contents/${contentId}`, 'PATCH', '{"metadata":{"x":1e400}}'), [400, 'body.metadata custom']);
  const memory = '{"user_id":"ada","memory":"m","metadata":{"deep":[-1e999]}}';
  t.deepEqual(await send('/memories', 'POST', memory), [422, 'body.metadata custom']);
});

test('a malformed id selects nothing in a list, like one that nothing has', async (t) => {
  const { api } = await createSearchableText();
  for (const list of ['chunks?collection_id=', 'chunks?content_id=', 'conversations?collection_id=']) {
    for (const id of ['abc', '', '00000000-0000-4000-8000-000000000000']) {
      t.like(await api.get(`/${list}${id}`, z.object({ total_count: z.int() })), { total_count: 0 }, list + id);
    }
  }
  t.deepEqual((await api.fail('/chunks?collection_id=abc&limit=0')).problems.toSorted(), [
    'query.collection_id invalid_format',
    'query.limit too_small',
  ]);
});

test('any number of rows can be skipped', async (t) => {
  const { api } = await createSearchableText();
  const page = z.object({ data: z.array(z.unknown()), total_count: z.int() });
  for (const list of ['api-keys', 'conversations']) {
    t.deepEqual((await api.get(`/${list}?skip=999999999999999`, page)).data, [], list);
  }
});

test('created_at is rounded down to whole seconds', async (t) => {
  const { api, contentId } = await createSearchableText();
  const knex = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  try {
    const sql = 'update contents set created_at = to_timestamp(1700000000.9) where id = :contentId';
    await query(knex, sql, { contentId });
  } finally {
    await knex.destroy();
  }
  t.is((await api.get(`/contents/${contentId}`, Content)).created_at, 1_700_000_000);
  const list = z.object({ data: z.array(Content) });
  t.is((await api.get('/contents', list)).data[0]?.created_at, 1_700_000_000);
});

test('requests that create and search take null for an absent field, and refuse it for a required one', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const memory = { user_id: 'ada', memory: 'Ada sails.', topics: null, memory_type: null, metadata: null };
  const found = { query: 'sails', user_id: null, limit: null, as_of: null, rerank: null };
  const searched = { query: 'otters', filters: null, max_results: null, min_score: null, facets: null };
  const accepted: [string, unknown, number][] = [
    ['/collections', { name: 'd', tags: null, embedding: null, settings: null }, 201],
    ['/collections/search', { ...searched, collection_id: id, collection_ids: null }, 200],
    ['/answers', { query: 'otters', collection_ids: null, conversation_id: null, filters: null, stream: null }, 200],
    ['/conversations', { title: null, collections: null, meta_data: null }, 201],
    ['/messages', { conversation_id: null, content: [{ content: 'Hello.', created_at: null, tags: null }] }, 201],
    ['/memories', memory, 201],
    ['/memories/batch', { memories: [memory] }, 201],
    ['/memories/search', found, 200],
  ];
  for (const [path, json, status] of accepted) {
    const answer = await api.send(path, { method: 'POST', json });
    t.is(answer.status, status, `${path}: ${await answer.text()}`);
  }
  const refused: [string, unknown, string][] = [
    ['/collections/search', { query: null, collection_id: id }, 'body.query invalid_type'],
    ['/collections/search', { query: 'x', collection_id: null }, 'body.collection_id missing'],
    ['/messages', { content: { content: null } }, 'body.content.content invalid_type'],
  ];
  for (const [path, json, problem] of refused) {
    t.deepEqual((await api.fail(path, { method: 'POST', json })).problems, [problem], path);
  }
  const change = { method: 'PATCH', json: { name: null } };
  t.deepEqual((await api.fail(`/collections/${id}`, change)).problems, ['body.name invalid_type']);
});
