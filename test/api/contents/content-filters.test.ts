import test from 'ava';
import type { z } from 'zod';
import { boundedListOf } from '#domain/records/cursor-list.ts';
import { Content } from '#domain/records/content.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { freshClient } from '#test/support/harness/api-client.ts';

const ContentPage = boundedListOf(Content);
type Page = z.infer<typeof ContentPage>;

async function uploadYears() {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const items = Array.from({ length: 6 }, (_, index) => ({ external_id: `e${index}` }));
  const files = items.map((_, index) => ['files', new File([`Number ${index}.`], `${index}.txt`)] as const);
  await api.upload(id, [
    ...files.slice(0, 4),
    ['items', JSON.stringify(items.slice(0, 4))],
    ['metadata', '{"lang":"en","tags":["sea","otter"]}'],
  ]);
  await api.upload(id, [
    ...files.slice(4),
    ['items', JSON.stringify(items.slice(4))],
    ['metadata', '{"lang":"de","year":2026}'],
  ]);
  const list = (filters: unknown, rest = '') =>
    api.get(`/contents?filters=${encodeURIComponent(JSON.stringify(filters))}${rest}`, ContentPage);
  return { api, collectionId: id, list };
}

const namesOf = (page: Page) => page.data.map(({ name }) => name);

test('contents are listed by the filters of searches, page by page', async (t) => {
  const { api, collectionId, list } = await uploadYears();
  const filters: [object, string[]][] = [
    [{ lang: 'de' }, ['4.txt', '5.txt']],
    [{ year: { $gte: 2020 } }, ['4.txt', '5.txt']],
    [{ 'metadata.tags': { $contains: 'otter' }, name: { $ne: '0.txt' } }, ['1.txt', '2.txt', '3.txt']],
    [{ $or: [{ external_id: 'e2' }, { source: '5.txt' }] }, ['2.txt', '5.txt']],
    [{ lang: { $exists: false } }, []],
  ];
  for (const [filter, names] of filters) {
    const page = await list(filter, `&collection_id=${collectionId}`);
    t.deepEqual(namesOf(page), names, JSON.stringify(filter));
    t.like(page, { total_count: names.length, total_is_exact: true, has_more: false });
    const json = { collection_id: collectionId, query: 'number', search_type: 'vector', filters: filter };
    const { results } = await api.post('/collections/search', SearchResponse, { json });
    t.deepEqual(results.map(({ source }) => source).toSorted(), names, JSON.stringify(filter));
  }
  const first = await list({ lang: 'en' }, '&limit=3');
  t.like(first, { total_count: 4, has_more: true });
  const second = await list({ lang: 'en' }, `&limit=3&cursor=${first.next_cursor}`);
  t.like(second, { total_count: 4, has_more: false, next_cursor: null });
  t.deepEqual([...namesOf(first), ...namesOf(second)], ['0.txt', '1.txt', '2.txt', '3.txt']);
  t.is((await api.fail(`/contents?filters={"lang":"de"}&cursor=${first.next_cursor}`)).status, 422);
});

test('wrong filters of a list are reported as those of a search', async (t) => {
  const api = await freshClient();
  const problemsOf = async (filters: string) =>
    (await api.fail(`/contents?filters=${encodeURIComponent(filters)}`)).problems;
  t.deepEqual(await problemsOf('{"lang":{"$near":1}}'), ['query.filters.lang.$near unknown_operator']);
  t.deepEqual(await problemsOf('lang=en'), ['query.filters filter_type']);
  t.deepEqual(await problemsOf('["lang"]'), ['query.filters filter_type']);
  t.deepEqual(await problemsOf('{"chunk.page":1}'), ['query.filters unknown_field']);
  t.deepEqual(await problemsOf(`{"lang":"${'x'.repeat(5_000)}"}`), ['query.filters too_big']);
});
