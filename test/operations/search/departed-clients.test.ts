import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { AnswerRequest } from '#domain/records/answer.ts';
import { ExplainSearchRequest } from '#domain/records/missing-result.ts';
import { SearchRequest } from '#domain/records/search.ts';
import { retrievePassages } from '#operations/answers/retrieve-passages.ts';
import { listContents } from '#operations/contents/contents.ts';
import { countFacets } from '#operations/search/count-facets.ts';
import { rankCollections } from '#operations/search/rank-collections.ts';
import { explainSearch } from '#operations/search/explain-search.ts';
import { searchCollection } from '#operations/search/search-collection.ts';
import type { Services } from '#operations/services.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { SERVER_DEFAULTS } from '#test/support/harness/stack.ts';

/** Slots that all searches of a process share. */
const SLOTS = 12;

/** Collections with a published content each, of which the index has nothing. */
async function openCollections(t: ExecutionContext, count: number) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { stores, scope } = place;
  const { space } = createLexicalEmbedder();
  for (let number = 0; number < count; number += 1) {
    const request = CreateCollectionRequest.parse({ name: `${number}` });
    const collectionId = await stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
    const run = await addContents({ ...place, collectionId });
    await makeReady({ ...place, collectionId }, run);
    await stores.publications.publish(scope, run, publicationOf(run));
  }
  await services.vectors.ensureSpace(space);
  return { services, database, caller: place.caller, collectionId: place.collectionId };
}

function countSearches(services: Services): { counted: Services; searches: () => number } {
  let searches = 0;
  const search: Services['vectors']['search'] = (...asked) => {
    searches += 1;
    return services.vectors.search(...asked);
  };
  return { counted: { ...services, vectors: { ...services.vectors, search } }, searches: () => searches };
}

const everywhere = (asked: object = {}) => SearchRequest.parse({ query: 'otters', collection_ids: [], ...asked });

test('what waits for a client that left is not done', async (t) => {
  const { services, caller, collectionId } = await openCollections(t, 2);
  const { counted, searches } = countSearches(services);
  const held = await Promise.all(Array.from({ length: SLOTS }, () => services.searchSlots.hold({ lane: 'express' })));
  const gone = new AbortController();
  const left = searchCollection(counted, caller, { ...everywhere(), signal: gone.signal });
  const facets = countFacets(counted, caller, {
    names: ['type'],
    filter: null,
    collectionIds: new Set([collectionId]),
    signal: gone.signal,
  });
  const outcomes = Promise.allSettled([left, facets]);
  gone.abort();
  t.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  for (const slot of held) slot[Symbol.dispose]();
  t.is(searches(), 0);
});

test('neither a search nor an explanation nor an answer goes on for a client that left', async (t) => {
  const { services, database, caller } = await openCollections(t, 1);
  const [content] = await query<{ content_id: string; collection_id: string }>(
    database,
    'select content_id, collection_id from content_collections',
  );
  const { content_id, collection_id = '' } = content ?? {};
  const { counted, searches } = countSearches(services);
  const signal = AbortSignal.abort();
  const otters = { query: 'otters' };
  const plain = SearchRequest.parse({ ...otters, collection_id });
  const explained = ExplainSearchRequest.parse({ ...otters, content_id });
  const asked = { request: AnswerRequest.parse({ ...otters, collection_ids: [collection_id] }), ...otters, signal };
  await t.throwsAsync(searchCollection(counted, caller, { ...plain, signal }), { name: 'AbortError' });
  await t.throwsAsync(explainSearch(counted, caller, { ...explained, signal }), { name: 'AbortError' });
  await t.throwsAsync(retrievePassages(counted, caller, asked), { name: 'AbortError' });
  t.is(searches(), 0);
});

test('facets are counted while another workspace searches without a pause', async (t) => {
  const { services, caller, collectionId } = await openCollections(t, 1);
  const place = { share: 'another workspace', lane: 'express' } as const;
  const counted = new AbortController();
  const busy = Array.from({ length: 4 * SLOTS }, async () => {
    while (!counted.signal.aborted) await services.searchSlots.run(() => setImmediate(), place);
  });
  const counting = countFacets(services, caller, {
    names: ['type'],
    filter: null,
    collectionIds: new Set([collectionId]),
    signal: AbortSignal.timeout(30_000),
  });
  try {
    const { type } = await counting;
    t.is(type?.missing_count, 0);
  } finally {
    counted.abort();
    await Promise.all(busy);
  }
});

test('whether the index has lost collections is asked in the slots of searches', async (t) => {
  const { services, caller } = await openCollections(t, SLOTS + 4);
  const gate = Promise.withResolvers<void>();
  let asking = 0;
  const tenantExists: Services['vectors']['tenantExists'] = async (...asked) => {
    asking += 1;
    await gate.promise;
    return services.vectors.tenantExists(...asked);
  };
  const held = { ...services, vectors: { ...services.vectors, tenantExists } };
  const failing = searchCollection(held, caller, everywhere({ search_type: 'keyword' }));
  await eventually('the slots are taken', async () => asking >= SLOTS, { everyMs: 10 });
  const { space } = createLexicalEmbedder();
  for (let round = 0; round < 5; round += 1) await services.vectors.tenantExists(space, 'another');
  t.is(asking, SLOTS);
  gate.resolve();
  t.like(await t.throwsAsync(failing), { code: 'dependency_unavailable' });
});

/** An index whose server accepts connections and never answers. */
async function openHangingIndex(t: ExecutionContext): Promise<Services['vectors']> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { url: `http://${address}`, grpc: address, apiKey: null, timeoutMs: 60_000 };
  const vectors = createVectorIndex({ ...options, classes: SERVER_DEFAULTS });
  t.teardown(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await vectors.close();
  });
  return vectors;
}

test('an index that hangs keeps a search until one deadline, however many collections wait for a slot', async (t) => {
  const { services, caller } = await openCollections(t, SLOTS);
  const hanging = { ...services, vectors: await openHangingIndex(t) };
  const search = { request: everywhere(), filter: null, collectionIds: [], limitMs: 500 };
  const ranking = await rankCollections(hanging, caller, search);
  const late = { code: 'dependency_unavailable', message: /did not answer within 0.5 s/ };
  await t.throwsAsync(ranking.searchIndex(10, []), late);
  await t.throwsAsync(ranking.searchIndex(10, []), late, 'nothing is asked any more');
  const held = Array.from({ length: SLOTS }, () => services.searchSlots.hold({ lane: 'express' }));
  for (const slot of await Promise.all(held)) slot[Symbol.dispose]();
});

test('what a search does between two looks into the index takes none of the time of the index', async (t) => {
  const { services, caller } = await openCollections(t, 1);
  const limitMs = 3_000;
  const ranking = await rankCollections(services, caller, {
    request: everywhere({ search_type: 'keyword' }),
    filter: null,
    collectionIds: [],
    limitMs,
  });
  // The index answers, and has nothing.
  const first = await t.throwsAsync(ranking.searchIndex(10, []), { code: 'dependency_unavailable' });
  // As a reranker would take.
  await delay(limitMs + 100);
  await t.throwsAsync(ranking.searchIndex(10, []), { code: 'dependency_unavailable', message: first?.message });
  t.notRegex(first?.message ?? '', /did not answer/);
});

test('a call of an index that hangs ends when the client leaves', async (t) => {
  const { services, caller, collectionId } = await openCollections(t, 1);
  const hanging = { ...services, vectors: await openHangingIndex(t) };
  const gone = new AbortController();
  const request = SearchRequest.parse({ query: 'otters', collection_id: collectionId });
  const searching = searchCollection(hanging, caller, { ...request, signal: gone.signal });
  setTimeout(() => gone.abort(new Error('the client left')), 200);
  await t.throwsAsync(searching, { message: 'the client left' });
});

test('that there are too many collections is found out without looking into all of them', async (t) => {
  const { services, database, caller } = await openCollections(t, 60);
  const { plans } = await measureStatements(
    database,
    {
      what: 'collections to search',
      workspaceId: caller.scope.workspaceId,
      call: ({ collections }) => collections.findIndexes(caller.scope, { ids: null, limit: 11 }),
    },
    { repetitions: 0, isVerbose: true },
  );
  const loops = [...(plans[0] ?? '').matchAll(/on content_collections.*loops=(\d+)/g)].map((match) => Number(match[1]));
  t.true(loops.length > 0 && Math.max(...loops) <= 12, plans[0]);
  const refused = await t.throwsAsync(searchCollection(services, caller, everywhere()));
  t.like(refused, { code: 'validation_failed' });
});

test('a filtered list is not read on for a client that left', async (t) => {
  const { services, caller } = await openCollections(t, 1);
  const gone = new AbortController();
  const asked = { filters: parseFilter({ lang: 'none' }), limit: 10 };
  t.is((await listContents(services, caller, { ...asked, signal: gone.signal })).total_count, 0);
  gone.abort(new Error('the client left'));
  await t.throwsAsync(listContents(services, caller, { ...asked, signal: gone.signal }), {
    message: 'the client left',
  });
});
