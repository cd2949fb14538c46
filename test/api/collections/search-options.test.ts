import test from 'ava';
import { SearchResponse } from '#domain/records/search.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

/** Long texts about otters and one about bread; the first two are English. */
async function library() {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const about = (subject: string) =>
    Array.from(
      { length: 160 },
      (_, index) => `Section ${index}. The ${subject} number ${index} is described here in detail, with its habits.`,
    ).join('\n\n');
  const upload = (name: string, text: string, metadata: object) =>
    api.upload(id, [
      ['file', new File([text], name)],
      ['metadata', JSON.stringify(metadata)],
    ]);
  await upload('sea.txt', about('otter'), { lang: 'en', tags: ['sea', 'fur'], published: '2020-01-01' });
  await upload('river.txt', about('otter'), { lang: 'en', tags: ['river', 'fur'], published: '2100-01-01' });
  await upload('otter.txt', 'Otters sleep on their backs. They hold hands. Nobody knows why.', { lang: 'de' });
  await upload('bread.txt', 'Bread needs salt, water and time.', {});
  return { api, id };
}

const searcher = (api: ApiClient, id: string) => (query: string, asked: object) =>
  api.post('/collections/search', SearchResponse, { json: { collection_id: id, query, ...asked } });

const keyed = ({ results }: SearchResponse) => results.map(({ chunk }) => chunk.id);

test('results are grouped by content, and cut into pages that neither overlap nor skip', async (t) => {
  const { api, id } = await library();
  const search = searcher(api, id);
  for (const search_type of ['vector', 'keyword', 'hybrid']) {
    const all = await search('otter habits', { search_type, max_results: 100, offset: 0 });
    t.is(all.next_offset, null);
    t.true(all.total_results > 8, `${all.total_results}`);
    const pages: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: SearchResponse = await search('otter habits', { search_type, max_results: 3, offset });
      pages.push(...keyed(page));
      offset = page.next_offset ?? null;
    }
    t.deepEqual(pages, keyed(all), search_type);
  }
  const grouped = await search('otter habits', { group_by: 'content', search_type: 'keyword' });
  const contents = grouped.results.map(({ source }) => source);
  t.is(new Set(contents).size, contents.length);
  const two = await search('otter habits', { group_by: 'content', max_per_content: 2, search_type: 'keyword' });
  t.is(two.results.filter(({ source }) => source === 'sea.txt').length, 2);
});

test('pages of any size reach all hits of the ranking, and the last one may be short', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const sections = Array.from(
    { length: 8_000 },
    (_, index) => `Section ${index}. An otter with habits lives here, says ${index}.`,
  );
  await api.upload(id, [['file', new File([sections.join('\n\n')], 'long.txt')]]);
  const search = searcher(api, id);
  const pages: string[][] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page: SearchResponse = await search('otter habits', { search_type: 'vector', max_results: 30, offset });
    pages.push(keyed(page));
    offset = page.next_offset ?? null;
  }
  t.deepEqual(
    pages.map(({ length }) => length),
    [30, 30, 30, 30, 30, 30, 20],
  );
  t.is(new Set(pages.flat()).size, 200);
});

test('a result can have its best passage, its neighbours and its vector', async (t) => {
  const { api, id } = await library();
  const search = searcher(api, id);
  const asked = { search_type: 'keyword', max_results: 1, highlight: { max_characters: 50 }, include_embedding: true };
  const [otter] = (await search('sleeping hand', asked)).results;
  const { text = '', start = 0, end = 0, matches = [] } = otter?.highlight ?? {};
  t.is(text, 'Otters sleep on their backs. They hold hands.');
  t.is(otter?.content.slice(start, end), text);
  t.deepEqual(
    matches.map((match) => [otter?.content.slice(match.start, match.end), match.query_word]),
    [
      ['sleep', 'sleeping'],
      ['hands', 'hand'],
    ],
  );
  t.is(otter?.embedding?.length, 1024);
  const wide = await search('otter number 80', { expand: { before: 1, after: 2 }, max_results: 20 });
  const inner = wide.results.find(({ chunk, source }) => chunk.index === 1 && source === 'sea.txt');
  t.deepEqual(
    [...(inner?.before ?? []), ...(inner?.after ?? [])].map(({ index }) => index),
    [0, 2, 3],
  );
  const plain = (await search('otter', { max_results: 1 })).results[0];
  for (const name of ['highlight', 'before', 'after', 'embedding', 'relevance']) t.false(name in (plain ?? {}), name);
});

test('a query about nothing in the collection has no results with min_score, and one about something has', async (t) => {
  const { api, id } = await library();
  const search = searcher(api, id);
  for (const search_type of ['vector', 'keyword', 'hybrid']) {
    t.is((await search('purple giraffe banana refund', { search_type, min_score: 0.5 })).total_results, 0);
    const found = await search('how do otters sleep', { search_type, min_score: 0.5 });
    t.is(found.results[0]?.source, 'otter.txt');
    t.true(found.results.every(({ relevance = 0 }) => relevance >= 0.5 && relevance <= 1));
  }
  t.true((await search('purple giraffe banana refund', { search_type: 'vector' })).total_results > 0);
});

test('min_score looks for relevant results beyond the first max_results hits', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  // The frequent word of one text ranks above two of the three words, and is less relevant.
  const texts = ['moor moor moor', ...Array.from({ length: 6 }, (_, index) => `ferry harbour ${index}`)];
  await api.upload(
    id,
    texts.map((text, index) => ['files', new File([text], `${index}.txt`)] as const),
  );
  const search = searcher(api, id);
  const asked = { search_type: 'keyword', max_results: 1 };
  const [first] = (await search('ferry harbour moor', asked)).results;
  t.is(first?.source, '0.txt');
  const found = await search('ferry harbour moor', { ...asked, min_score: 0.5 });
  t.is(found.total_results, 1);
  t.not(found.results[0]?.source, '0.txt');
});

test('newer contents are ranked higher on request', async (t) => {
  const { api, id } = await library();
  const search = searcher(api, id);
  const recency = { half_life_days: 365, weight: 1, field: 'published' };
  const found = await search('otter number 12', { search_type: 'keyword', recency, group_by: 'content' });
  t.is(found.results[0]?.source, 'river.txt');
  t.is(found.results.find(({ source }) => source === 'otter.txt')?.score ?? 0, 0);
});

test('facets count the contents that match the filters, by the values of fields', async (t) => {
  const { api, id } = await library();
  const search = searcher(api, id);
  const { facets } = await search('anything', { facets: ['lang', 'metadata.tags', 'type'] });
  t.deepEqual(facets?.['lang'], {
    values: [
      { value: 'en', count: 2 },
      { value: 'de', count: 1 },
    ],
    distinct_count: 2,
    missing_count: 1,
    is_exact: true,
  });
  t.deepEqual(facets?.['metadata.tags']?.values[0], { value: 'fur', count: 2 });
  t.deepEqual(facets?.['type']?.values, [{ value: 'text/plain', count: 4 }]);
  const filtered = await search('anything', { facets: ['lang'], filters: { tags: { $contains: 'sea' } } });
  t.deepEqual(filtered.facets?.['lang']?.values, [{ value: 'en', count: 1 }]);
});

test('facets and neighbours are those of collections in reach', async (t) => {
  const { api, id } = await library();
  const other = await api.createCollection('other');
  await api.upload(other.id, [
    ['file', new File(['Otters eat fish.'], 'fish.txt')],
    ['metadata', '{"lang":"fr"}'],
  ]);
  const near = (await createKey({ workspaceId: api.workspaceId, collections: [other.id] })).key;
  const asked = { query: 'otters', facets: ['lang'], expand: { before: 5, after: 5 } };
  const json = { ...asked, collection_ids: [] };
  const seen = await apiClient(near).post('/collections/search', SearchResponse, { json });
  t.deepEqual(seen.facets?.['lang']?.values, [{ value: 'fr', count: 1 }]);
  t.deepEqual(
    seen.results.map(({ source, before, after }) => ({ source, before, after })),
    [{ source: 'fish.txt', before: [], after: [] }],
  );
  const all = await api.post('/collections/search', SearchResponse, { json });
  t.deepEqual(new Set(all.facets?.['lang']?.values.map(({ value }) => value)), new Set(['en', 'de', 'fr']));
  t.true(all.results.some(({ before = [], after = [] }) => before.length + after.length > 0));
  const far = (await createKey()).key;
  for (const stranger of [near, far]) {
    const refused = await apiClient(stranger).fail('/collections/search', {
      method: 'POST',
      json: { ...asked, collection_id: id },
    });
    t.is(refused.status, 404);
  }
});

test('options out of their bounds are refused', async (t) => {
  const { api, id } = await library();
  const problemsOf = async (asked: object) =>
    (await api.fail('/collections/search', { method: 'POST', json: { collection_id: id, query: 'x', ...asked } }))
      .problems;
  t.deepEqual(await problemsOf({ offset: 200 }), ['body.offset too_big']);
  t.deepEqual(await problemsOf({ max_per_content: 2 }), ['body.max_per_content missing']);
  t.deepEqual(await problemsOf({ min_score: 1.1 }), ['body.min_score too_big']);
  t.deepEqual(await problemsOf({ expand: { before: 6 } }), ['body.expand.before too_big']);
  t.deepEqual(await problemsOf({ highlight: { max_characters: 5_000 } }), ['body.highlight.max_characters too_big']);
  t.deepEqual(await problemsOf({ facets: ['chunk.page'] }), ['body.facets.0 custom']);
  t.deepEqual(await problemsOf({ facets: ['a', 'b', 'c', 'd', 'e', 'f'] }), ['body.facets too_big']);
  t.deepEqual(await problemsOf({ facets: ['lang'], filters: { 'chunk.page': 1 } }), ['body.facets conflicting_fields']);
  t.deepEqual(await problemsOf({ recency: {} }), ['body.recency.half_life_days missing']);
});
