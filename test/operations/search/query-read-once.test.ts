import test, { type ExecutionContext } from 'ava';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { SearchRequest } from '#domain/records/search.ts';
import { addExtras } from '#operations/search/add-extras.ts';
import { queryVectors } from '#operations/search/query-vectors.ts';
import { selectHits, type SelectedHit } from '#operations/search/select-hits.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { createOpenAIEmbedder } from '#providers/embedders/openai.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';

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

function hitsOf(number: number, collection_id: string = crypto.randomUUID()): SelectedHit[] {
  const row = {
    content_id: crypto.randomUUID(),
    collection_id,
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

/** What a keyword search of one collection ranks with. */
const ranking = {
  collectionIds: new Set([crypto.randomUUID()]),
  vectorOf: () => Promise.reject(new Error('no vector is needed')),
};

/** Two collections of an embedder whose server embeds queries. `isCalibrated`: also the texts with which it is calibrated. */
async function openEmbedded(t: ExecutionContext, { isCalibrated }: { isCalibrated: boolean }) {
  const own = await openOwnServices(t, { temporal: 'away' });
  const { stores, caller } = await makePlace(own.database);
  const server = await startOpenAIServer(({ input }) =>
    isCalibrated || input.length === 1 ? { dimensions: 8 } : { status: 503 },
  );
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 8 });
  t.teardown(async () => {
    await embedder.close();
    await server.close();
  });
  const addCollection = async (name: string) => {
    const request = CreateCollectionRequest.parse({ name });
    return stores.collections.insert(caller.scope, { ...request, createdBy: 'a test' }, embedder.space);
  };
  const collections = [await addCollection('first'), await addCollection('second')];
  const embedders = createEmbedderSet(createLexicalEmbedder(), [{ name: 'server', embedder }]);
  return { services: { ...own.services, embedders }, caller, collections, server, space: embedder.space };
}

test('a query that is too long for the cache is embedded once for all hits that are rated', async (t) => {
  const { services, caller, collections, server } = await openEmbedded(t, { isCalibrated: true });
  const query = 'forest '.repeat(400);
  const { request } = countedRequest({ query, min_score: 0, max_results: 100, offset: 0 });
  const vectorOf = queryVectors(services, { text: query, share: 'w' }, { hasOthers: false });
  const { hits } = await selectHits(services, caller, {
    request,
    hits: collections.flatMap((id) => hitsOf(40, id)),
    ranking: { collectionIds: new Set(collections), vectorOf },
    onReplaced: () => t.fail(),
  });
  t.is(hits.length, 80);
  t.is(server.requests.filter(({ input }) => input.length === 1).length, 1);
});

test('an embedder that is not calibrated fails a search of one collection, and none of several', async (t) => {
  const { services, caller, collections, space } = await openEmbedded(t, { isCalibrated: false });
  const [first = ''] = collections;
  const { request } = countedRequest({ query: 'forest', min_score: 0.01 });
  const vectorOf = queryVectors(services, { text: 'forest', share: 'w' }, { hasOthers: false });
  await vectorOf(space);
  // All hits that are rated together are of one of the collections.
  const select = (collectionIds: ReadonlySet<string>) =>
    selectHits(services, caller, {
      request,
      hits: hitsOf(3, first),
      ranking: { collectionIds, vectorOf },
      onReplaced: () => t.fail(),
    });
  t.is((await select(new Set(collections))).hits.length, 3, 'words alone decide');
  await t.throwsAsync(select(new Set([first])), { code: 'dependency_unavailable' });
});

test('hits are not rated for a client that left', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { caller } = await makePlace(database);
  const { request } = countedRequest({ search_type: 'keyword', min_score: 0.5 });
  const selection = { request, hits: hitsOf(1), ranking, onReplaced: () => t.fail(), signal: AbortSignal.abort() };
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
      ranking,
      onReplaced: () => t.fail(),
    });
    t.is(rated.hits.length, number);
    await addExtras(services, caller, { request: showing.request, hits: hitsOf(number) });
    return [rating.reads(), showing.reads()];
  };
  t.deepEqual(await readsOf(100), await readsOf(1));
});

test('a highlight reads a chunk in the language of the headings above it, as the index did', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { caller } = await makePlace(database);
  const request = SearchRequest.parse({ query: 'Krankenhaus', collection_id: crypto.randomUUID(), highlight: {} });
  const content = 'Wohnungen: Meier. Schulen: Kunze. Krankenhäuser: Vogt.';
  const context =
    'Zuständigkeiten der Abteilungen, die für die Verwaltung der Gebäude in der Stadt verantwortlich sind';
  const hits = hitsOf(1).map((hit) => ({ ...hit, row: { ...hit.row, content, context } }));
  const [result] = await addExtras(services, caller, { request, hits });
  t.deepEqual(
    result?.highlight?.matches.map(({ start, end }) => content.slice(start, end)),
    ['Krankenhäuser'],
  );
});
