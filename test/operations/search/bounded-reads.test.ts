import test, { type ExecutionContext } from 'ava';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import { recordStatements } from '#bench/record-statements.ts';
import { SearchRequest } from '#domain/records/search.ts';
import { ExplainSearchRequest } from '#domain/records/missing-result.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { listContents } from '#operations/contents/contents.ts';
import { countFacets } from '#operations/search/count-facets.ts';
import { explainSearch } from '#operations/search/explain-search.ts';
import { searchCollection } from '#operations/search/search-collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query, type Database } from '#store/postgres.ts';
import { addContents, chunkRows, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const METADATA_BYTES = 60_000;

/** Published contents with metadata of 60 kB each that does not shrink; their chunks are in the index. */
async function largeMetadata(t: ExecutionContext, { contents, each }: { contents: number; each: number }) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { caller, collectionId, scope } = place;
  const run = await addContents(place, contents);
  await makeReady(place, run, { each });
  await place.stores.publications.publish(scope, run, publicationOf(run, { each }));
  await query(
    database,
    `update contents set metadata = jsonb_build_object('lang', 'en', 'blob', (
       select string_agg(md5(id::text || n), '') from generate_series(1, ${Math.floor(METADATA_BYTES / 32)}) n))`,
  );
  const found = await services.stores.collections.findIndex(scope, collectionId);
  if (!found) throw new Error('the collection has no index');
  const { space, tenant } = found.index;
  await services.vectors.ensureSpace(space);
  await services.vectors.ensureTenant(space, tenant);
  t.teardown(() => services.vectors.dropTenant(space, tenant));
  const chunks = chunkRows(run, { each });
  const vectors = await createLexicalEmbedder().embed(
    chunks.map(({ content }) => content),
    'document',
  );
  await services.vectors.writeObjects(
    space,
    tenant,
    chunks.map(({ id, content_id, version, content }, index) => ({
      id,
      content_id,
      version,
      text: content,
      vector: vectors[index] ?? new Float32Array(),
      facets: [],
    })),
  );
  return { services, database, caller, collectionId, contentIds: run.contentIds };
}

/** Bytes of the rows that the statements of `work` return, as JSON. */
async function bytesReturned(database: Database, work: () => Promise<unknown>): Promise<number> {
  let bytes = 0;
  const count = (response: { rows?: unknown[] }) => {
    bytes += JSON.stringify(response.rows ?? []).length;
  };
  database.on('query-response', count);
  try {
    await work();
  } finally {
    database.removeListener('query-response', count);
  }
  return bytes;
}

test('a search reads the metadata of its results only, however many hits it ranks', async (t) => {
  const { services, database, caller, collectionId } = await largeMetadata(t, { contents: 200, each: 1 });
  const asked = { query: 'chunk version', collection_id: collectionId, max_results: 1 };
  for (const options of [
    { offset: 0 },
    { group_by: 'content' },
    { recency: { half_life_days: 30 } },
    { offset: 100, min_score: 0 },
  ]) {
    const request = SearchRequest.parse({ ...asked, ...options });
    const bytes = await bytesReturned(database, async () => {
      t.is((await searchCollection(services, caller, request)).total_results, 1);
    });
    t.true(bytes < 4 * METADATA_BYTES, `${JSON.stringify(options)}: ${bytes}`);
  }
});

test('the values of a content are read once for all of its chunks that are found', async (t) => {
  const { services, caller, collectionId } = await largeMetadata(t, { contents: 1, each: 200 });
  const { contents } = services.stores;
  let reads = 0;
  const findFields: typeof contents.findFields = async (...asked) => {
    const found = await contents.findFields(...asked);
    const counted = [...found].map(([id, { metadata, ...fields }]) => {
      const withReads = {
        ...fields,
        get metadata() {
          reads += 1;
          return metadata;
        },
      };
      return [id, withReads] as const;
    });
    return new Map(counted);
  };
  const counting = { ...services, stores: { ...services.stores, contents: { ...contents, findFields } } };
  const asked = { query: 'chunk version', collection_id: collectionId, max_results: 1, offset: 0 };
  const request = SearchRequest.parse({ ...asked, filters: { lang: { $ne: 'de' } } });
  t.like(await searchCollection(counting, caller, request), { total_results: 1, next_offset: 1 });
  t.is(reads, 1);
});

test('the explanation of a content with many chunks reads its metadata once, besides the results', async (t) => {
  const { services, database, caller, contentIds } = await largeMetadata(t, { contents: 1, each: 200 });
  const asked = { query: 'nothing like it', content_id: contentIds[0], max_results: 1, search_type: 'vector' };
  const request = ExplainSearchRequest.parse({ ...asked, filters: { $not: { lang: 'de' } } });
  const bytes = await bytesReturned(database, async () => {
    const { terms, vector } = await explainSearch(services, caller, request);
    t.true(terms.length > 0 && vector?.is_matched);
  });
  t.true(bytes < 5 * METADATA_BYTES, `${bytes}`);
});

test('the explanation of a content with more than a thousand chunks knows all of them', async (t) => {
  const { services, caller, contentIds } = await largeMetadata(t, { contents: 1, each: 1_100 });
  const asked = { query: '1050', content_id: contentIds[0], search_type: 'keyword' };
  const found = await explainSearch(services, caller, ExplainSearchRequest.parse(asked));
  t.like(found, { reason: 'found', rank: 1, keyword: { is_matched: true, rank: 1 } });
  t.is(found.terms[0]?.found[0], '1050');
  const filters = { 'chunk.start': 0, lang: 'en' };
  t.is((await explainSearch(services, caller, ExplainSearchRequest.parse({ ...asked, filters }))).filters.length, 2);
});

test('facets of a field of contents read no metadata, and those of metadata read it once', async (t) => {
  const { services, database, caller, collectionId } = await largeMetadata(t, { contents: 200, each: 1 });
  const { workspaceId } = caller.scope;
  const buffersOf = async (name: string) => {
    const asked = { names: [name], filter: null, collectionIds: new Set([collectionId]) };
    const measured = await measureStatements(
      database,
      { what: name, workspaceId, call: (stores) => countFacets({ ...services, stores }, caller, asked) },
      { repetitions: 0 },
    );
    return measured.buffers;
  };
  const expected = { distinct_count: 1, missing_count: 0, is_exact: true };
  const names = ['type', 'lang', 'blob'];
  const facets = await countFacets(services, caller, { names, filter: null, collectionIds: new Set([collectionId]) });
  t.deepEqual(facets['type'], { values: [{ value: 'text/plain', count: 200 }], ...expected });
  t.deepEqual(facets['lang'], { values: [{ value: 'en', count: 200 }], ...expected });
  t.deepEqual(facets['blob'], { values: [], ...expected, distinct_count: 200 });
  const [plain, metadata] = [await buffersOf('type'), await buffersOf('lang')];
  t.true(plain < 10 * 200, `${plain}`);
  // A value of 60 kB is in about 30 pages and found by an index.
  t.true(metadata < 60 * 200, `${metadata}`);
});

test('a list with filters measures no more large rows than it can return, and counts them with the first page only', async (t) => {
  const { services, database, caller, collectionId } = await largeMetadata(t, { contents: 200, each: 1 });
  const filters = parseFilter({ lang: 'en' });
  const list = (cursor?: string) =>
    listContents(services, caller, { collection_id: collectionId, filters, limit: 1, cursor });
  const first = await list();
  t.like(first, { total_count: 200, total_is_exact: true, has_more: true });
  const { workspaceId } = caller.scope;
  const { buffers } = await measureStatements(
    database,
    {
      what: 'contents with filters',
      workspaceId,
      call: (stores) =>
        listContents({ ...services, stores }, caller, { collection_id: collectionId, filters, limit: 1 }),
    },
    { repetitions: 0 },
  );
  t.true(buffers < 120 * 200, `${buffers}`);
  const cursor = first.next_cursor ?? '';
  t.like(await list(cursor), { total_count: 200, total_is_exact: true, has_more: true });
  t.is((await recordStatements(database, () => list(cursor))).length, 1);
});
