import test from 'ava';
import { SearchRequest } from '#domain/records/search.ts';
import { addExtras } from '#operations/search/add-extras.ts';
import { selectHits, type SelectedHit } from '#operations/search/select-hits.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

/** A request that counts how often its query is asked for: what asks for it stems it in every language. */
function countedRequest(asked: object): { request: SearchRequest; reads: () => number } {
  let reads = 0;
  const parsed = SearchRequest.parse({ query: 'forêts', collection_id: crypto.randomUUID(), ...asked });
  const request = {
    ...parsed,
    get query() {
      reads += 1;
      return parsed.query;
    },
  };
  return { request, reads: () => reads };
}

function hitsOf(number: number): SelectedHit[] {
  const row = {
    content_id: crypto.randomUUID(),
    collection_id: crypto.randomUUID(),
    workspace_id: crypto.randomUUID(),
    content: 'The trees of the forest grow slowly.',
    context: '',
    metadata: { heading_path: [], start: 0, end: 36, page: null },
    chunk_index: 0,
    size: 36,
    created_at: 0,
    name: 'forest.txt',
    type: 'text/plain',
    external_id: null,
    content_size: 36,
    content_hash: null,
    source: 'file',
    url: null,
    description: null,
    content_metadata: {},
    content_created_at: new Date(0),
    content_updated_at: new Date(0),
  };
  return Array.from({ length: number }, () => {
    const id = crypto.randomUUID();
    return { row: { ...row, id }, hit: { id, score: 1, legs: null }, boost: 1, rerank: null, relevance: null };
  });
}

test('hits are not rated for a client that left', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { caller } = await makePlace(database);
  const { request } = countedRequest({ search_type: 'keyword', min_score: 0.5 });
  const selection = { request, hits: hitsOf(1), onReplaced: () => t.fail(), signal: AbortSignal.abort() };
  await t.throwsAsync(selectHits(services, caller, selection), { name: 'AbortError' });
});

test('a query is read once for all hits, whatever their number', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { caller } = await makePlace(database);
  const common = { search_type: 'keyword', offset: 0, max_results: 100 };
  const readsOf = async (number: number) => {
    const rating = countedRequest({ ...common, min_score: 0 });
    const showing = countedRequest({ ...common, highlight: {} });
    const rated = await selectHits(services, caller, {
      request: rating.request,
      hits: hitsOf(number),
      onReplaced: () => t.fail(),
    });
    t.is(rated.hits.length, number);
    await addExtras(services, caller, { request: showing.request, hits: hitsOf(number) });
    return [rating.reads(), showing.reads()];
  };
  t.deepEqual(await readsOf(100), await readsOf(1));
});
