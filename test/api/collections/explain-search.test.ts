import test from 'ava';
import { MissingResult } from '#domain/records/missing-result.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';

async function library() {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const texts = [
    'Otters hold hands while they sleep.',
    'Sleeping otters float on their backs.',
    'An otter is a mammal.',
    'Bread needs salt, water and time.',
  ];
  const { uploads } = await api.upload(id, [
    ...texts.map((text, index) => ['files', new File([text], `${index}.txt`)] as const),
    ['metadata', '{"lang":"en","year":2026}'],
  ]);
  const contentIds = uploads.map(({ content_id }) => content_id);
  return { api, id, contentIds, mammal: contentIds[2] ?? '', bread: contentIds[3] ?? '' };
}

const explain = (api: ApiClient, json: object) =>
  api.post('/collections/search/explain', MissingResult, { json: { query: 'otters sleep', ...json } });

test('each reason for a missing result is named, in the order in which a search goes', async (t) => {
  const { api, id, contentIds, mammal, bread } = await library();

  const other = await api.createCollection('other');
  const elsewhere = await explain(api, { content_id: mammal, collection_id: other.id });
  t.like(elsewhere, { reason: 'not_in_collection', collection_id: other.id, content: { id: mammal, name: '2.txt' } });

  const { uploads } = await api.upload(id, [['file', new File(['%PDF-1.7 broken'], 'broken.pdf')]]);
  const failed = await explain(api, { content_id: uploads[0]?.content_id });
  t.like(failed, { reason: 'not_ingested', content: { status: 'failed' }, chunk_id: null });
  t.truthy(failed.content.error_code);
  t.true(failed.message.includes(failed.content.status_message ?? '?'));

  const filters = { lang: 'de', year: { $gte: 2020 }, $not: { name: '2.txt' } };
  const filtered = await explain(api, { content_id: mammal, filters });
  t.is(filtered.reason, 'filtered_out');
  t.deepEqual(filtered.filters, [
    { condition: 'metadata.lang is "de"', holds: false, seen: [{ field: 'metadata.lang', values: ['en'] }] },
    { condition: 'metadata.year ≥ 2020', holds: true, seen: [{ field: 'metadata.year', values: [2026] }] },
    { condition: 'not (name is "2.txt")', holds: false, seen: [{ field: 'name', values: ['2.txt'] }] },
  ]);

  const unmatched = await explain(api, { content_id: bread, search_type: 'keyword' });
  t.like(unmatched, { reason: 'not_matched', vector: null, keyword: { is_matched: false, rank: null, score: null } });
  t.deepEqual(
    unmatched.terms.map(({ word, found }) => [word, found]),
    [
      ['otters', []],
      ['sleep', []],
    ],
  );
  t.true(unmatched.terms[0]?.looked_up.includes('otter'));

  const cut = await explain(api, { content_id: mammal, search_type: 'hybrid', max_results: 2 });
  t.like(cut, { reason: 'below_cut', rank: 3, keyword: { is_matched: true, rank: 3 }, vector: { is_matched: true } });
  t.deepEqual(cut.terms[0]?.found, ['otter']);
  t.deepEqual(cut.lost_to.map((one) => one.content_id).toSorted(), contentIds.slice(0, 2).toSorted());
  t.true((cut.lost_to[0]?.score ?? 0) >= (cut.score ?? 1));

  const weak = await explain(api, { content_id: bread, search_type: 'vector', min_score: 0.5 });
  t.is(weak.reason, 'below_threshold');
  t.true((weak.relevance ?? 1) < 0.5 && (weak.vector?.rank ?? 0) === 4);

  const found = await explain(api, { content_id: contentIds[0] });
  t.like(found, { reason: 'found', rank: 1, lost_to: [] });
  const chunk = await explain(api, { chunk_id: found.chunk_id });
  t.like(chunk, { reason: 'found', chunk_id: found.chunk_id, collection_id: id, content: { id: contentIds[0] } });
});

test('a content that the index has lost is named as such', async (t) => {
  const { api, id, mammal } = await library();
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  // Chunks under other ids are not in the index.
  await query(database, `update chunks set id = gen_random_uuid() where content_id = :mammal and collection_id = :id`, {
    mammal,
    id,
  });
  const lost = await explain(api, { content_id: mammal });
  t.like(lost, { reason: 'not_indexed', vector: { is_matched: false }, keyword: { is_matched: false } });
  const words = await explain(api, { content_id: mammal, search_type: 'keyword' });
  t.like(words, { reason: 'not_indexed', keyword: { is_matched: false } });
  t.deepEqual(words.terms[0]?.found, ['otter']);
  t.regex(lost.message, /reindex/);
});

test('a content whose filter fields have changed is not taken for one that the index has lost', async (t) => {
  const { api, mammal } = await library();
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  // As a change of metadata is seen before it is written to the index.
  await query(database, `update contents set metadata = '{"lang": "de"}' where id = :mammal`, { mammal });
  const asked = { content_id: mammal, filters: { lang: 'de' } };
  for (const search_type of ['hybrid', 'vector', 'keyword']) {
    const outdated = await explain(api, { ...asked, search_type });
    t.like(outdated, { reason: 'filters_outdated', filters: { 0: { holds: true } } }, search_type);
  }
  t.is((await explain(api, { ...asked, query: 'bread', search_type: 'keyword' })).reason, 'not_matched');
});

test('a condition on chunks holds if any chunk of the content fulfils it', async (t) => {
  const { api, id } = await library();
  const { uploads } = await api.upload(id, [['file', new File(['Otters sleep in the kelp. '.repeat(1_000)], 'a.txt')]]);
  const content_id = uploads[0]?.content_id;
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const paged = `update chunks set metadata = metadata || jsonb_build_object('page', chunk_index, 'start', chunk_index / 2)
    where content_id = :content_id returning id`;
  t.true((await query(database, paged, { content_id })).length > 4);
  const filters = { 'chunk.page': 2, lang: 'de' };
  const filtered = await explain(api, { content_id, filters });
  t.is(filtered.reason, 'filtered_out');
  t.like(filtered.filters[0], { holds: true, seen: { 0: { field: 'chunk.page', values: [2] } } });
  t.like(filtered.filters[1], { holds: false });
  t.notRegex(filtered.message, /chunk/);
  const apart = await explain(api, { content_id, filters: { 'chunk.page': 2, 'chunk.start': 0 } });
  t.is(apart.reason, 'filtered_out');
  t.regex(apart.message, /all of them hold for none/);
});

test('what is expected must be named once, and be in reach', async (t) => {
  const { api, mammal } = await library();
  const fail = (json: object) =>
    api.fail('/collections/search/explain', { method: 'POST', json: { query: 'x', ...json } });
  t.deepEqual((await fail({})).problems, ['body.content_id missing']);
  t.deepEqual((await fail({ content_id: mammal, chunk_id: mammal })).problems, ['body.content_id missing']);
  for (const unknown of [{ content_id: crypto.randomUUID() }, { chunk_id: crypto.randomUUID() }])
    t.is((await fail(unknown)).status, 404);
  t.is((await fail({ content_id: mammal, collection_id: crypto.randomUUID() })).status, 404);
});

test('neither a key of another collection nor one of another workspace is told anything', async (t) => {
  const { api, id, mammal } = await library();
  const { chunk_id } = await explain(api, { content_id: mammal });
  t.truthy(chunk_id);
  const other = await api.createCollection('other');
  const { uploads } = await api.upload(other.id, [['file', new File(['Otters eat fish.'], 'fish.txt')]]);
  const near = (await createKey({ workspaceId: api.workspaceId, collections: [other.id] })).key;
  const far = (await createKey()).key;
  for (const stranger of [apiClient(near), apiClient(far)]) {
    for (const expected of [
      { content_id: mammal },
      { chunk_id },
      { content_id: mammal, collection_id: id },
      { content_id: uploads[0]?.content_id, collection_id: id },
      { content_id: mammal, collection_id: other.id },
    ]) {
      const refused = await stranger.fail('/collections/search/explain', {
        method: 'POST',
        json: { query: 'otters', ...expected },
      });
      t.is(refused.status, 404, JSON.stringify(expected));
    }
  }
  t.is((await explain(apiClient(near), { content_id: uploads[0]?.content_id })).reason, 'found');
});

test('the status of a content is told to those who may read contents', async (t) => {
  const { api, id } = await library();
  const { uploads } = await api.upload(id, [['file', new File(['%PDF-1.7 broken'], 'broken.pdf')]]);
  const asked = { content_id: uploads[0]?.content_id };
  const searcher = apiClient(
    (await createKey({ workspaceId: api.workspaceId, permissions: ['collections:read'] })).key,
  );
  const told = await explain(searcher, asked);
  t.like(told, { reason: 'not_ingested', content: { status: null, status_message: null, error_code: null } });
  t.is(told.message, 'It has no searchable text in this collection.');
  t.is((await explain(api, asked)).content.status, 'failed');
});

test('the status is that of the collection that was asked for', async (t) => {
  const { api, mammal } = await library();
  const other = await api.createCollection('other');
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  // As a run leaves it that has not begun.
  await query(
    database,
    `insert into content_collections (content_id, collection_id, workspace_id, run_id, stage, reader)
     select content_id, :other, workspace_id, gen_random_uuid(), 'failed', reader from content_collections
     where content_id = :mammal limit 1`,
    { mammal, other: other.id },
  );
  const waiting = await explain(api, { content_id: mammal, collection_id: other.id });
  t.like(waiting, { reason: 'not_ingested', content: { status: 'failed' } });
  t.regex(waiting.message, /status is failed/);
  t.is((await explain(api, { content_id: mammal })).content.status, 'ready');
});
