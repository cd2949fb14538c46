import { compileFilter } from '#domain/filters/compile-filter.ts';
import type { Filter } from '#domain/filters/filter.ts';
import type { LegPlace } from '#domain/records/missing-result.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import type { Hit } from '#store/weaviate/vector-index.ts';
import type { Services } from '#operations/services.ts';
import { embedQuery } from './embed-query.ts';

/** Hits among which a place is looked for. */
const DEPTH = 1_000;

/** `isExpected` tells whether a chunk is one of those that were expected. */
export type PlaceSearch = {
  index: IndexGeneration;
  query: string;
  type: SearchType;
  filter: Filter | null;
  contentId: string;
  /** Whose slots the queries take. */
  share: string;
  signal?: AbortSignal | undefined;
  isExpected: (chunkId: string) => boolean;
};

/**
 * The best expected chunk, null if the index has none, and its places; those of searches that do not run are null. `isFiltersOutdated`:
 * the index has such a chunk, but with filter fields that do not pass.
 */
export type Places = {
  isFiltersOutdated: boolean;
  chunkId: string | null;
  keyword: LegPlace | null;
  vector: LegPlace | null;
  ranking: LegPlace;
};

/** Finds the places of the expected chunks in the ranking of a search and in its legs. At most seven queries of the index. */
export async function findPlaces(services: Services, search: PlaceSearch): Promise<Places> {
  const { type, index, query, share, signal } = search;
  const queryVector =
    type === 'keyword' ? null : await embedQuery(services, index.space, { text: query, share, signal });
  const placeIn = (leg: SearchType) => findPlace(services, { ...search, type: leg, queryVector });
  const isIndexed = async () => (await findAlone(services, { ...search, filter: null, queryVector })) !== undefined;
  const [ranking, keyword, vector] = await Promise.all([
    placeIn(type),
    type === 'hybrid' ? placeIn('keyword') : null,
    type === 'hybrid' ? placeIn('vector') : null,
  ]);
  const chunkId = ranking.chunkId ?? vector?.chunkId ?? keyword?.chunkId ?? null;
  return {
    isFiltersOutdated: chunkId === null && search.filter !== null && (await isIndexed()),
    chunkId,
    keyword: type === 'keyword' ? ranking.place : (keyword?.place ?? null),
    vector: type === 'vector' ? ranking.place : (vector?.place ?? null),
    ranking: ranking.place,
  };
}

type EmbeddedSearch = PlaceSearch & { queryVector: Float32Array | null };

async function findPlace(
  services: Services,
  search: EmbeddedSearch,
): Promise<{ chunkId: string | null; place: LegPlace }> {
  const all = await ask(services, search);
  const at = all.findIndex(({ id }) => search.isExpected(id));
  const ranked = all[at];
  if (ranked) return { chunkId: ranked.id, place: { is_matched: true, rank: at + 1, score: ranked.score } };
  // Beyond that depth only the score is known, from a search of the content alone.
  const alone = await findAlone(services, search);
  const score = alone === undefined || search.type === 'hybrid' ? null : alone.score;
  return { chunkId: alone?.id ?? null, place: { is_matched: alone !== undefined, rank: null, score } };
}

/** Searches the content alone for its best expected chunk. */
async function findAlone(services: Services, search: EmbeddedSearch): Promise<Hit | undefined> {
  return (await ask(services, { ...search, filter: ofContent(search) })).find(({ id }) => search.isExpected(id));
}

function ask(services: Services, search: EmbeddedSearch): Promise<Hit[]> {
  const { index, type, query, queryVector, share, signal } = search;
  const filter = search.filter === null ? null : compileFilter(search.filter);
  const asked = { type, queryText: query, queryVector, filter, limit: DEPTH, signal };
  const find = () => services.vectors.search(index.space, index.tenant, asked);
  return services.searchSlots.run(find, { share, lane: 'express', signal });
}

function ofContent({ contentId, filter }: Pick<PlaceSearch, 'contentId' | 'filter'>): Filter {
  const field = { area: 'content', path: 'content_id', type: 'text' } as const;
  const isContent: Filter = { kind: 'one_of', field, values: new Set([contentId]) };
  return filter === null ? isContent : { kind: 'and', operands: [filter, isContent] };
}
