import type { FilterValue } from 'weaviate-client';
import { AppError, assertNever } from '#domain/app-error.ts';
import type { FacetQuery } from '#domain/filters/compile-filter.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Tenant, TenantCollection, WeaviateConnection } from './connection.ts';
import { Filters } from './filters.ts';
import { REGULARIZED_HITS, regularizationStrength, regularizeScores } from '#domain/search/regularize-scores.ts';
import { readVectors, vectorsOf } from './read-objects.ts';
import { toWeaviateFilter } from './weaviate-filter.ts';
import { keywordQuery } from './stemmed-text.ts';
import { runInTenant } from './tenants.ts';
import { KEYWORD_PROPERTIES } from './class-definition.ts';

export type ContentVersion = { content_id: string; version: number };

export type IndexSearch = {
  type: SearchType;
  queryText: string;
  /** The embedded query; null only for `keyword`. */
  queryVector: Float32Array | null;
  /** Null matches everything. */
  filter: FacetQuery | null;
  /** Versions of contents whose objects are left out. */
  exclude?: readonly ContentVersion[];
  limit: number;
  /** Also runs the keyword and the vector search separately, for `legs` of the hits. */
  explain?: boolean;
  /** False: a hybrid search keeps the fused scores of Weaviate, to measure what regularization changes. */
  regularize?: boolean;
  /** Ends the search, which then throws its reason. */
  signal?: AbortSignal | undefined;
};

/**
 * A hit. Higher scores are better; they are comparable within one result only. `legs` is null unless `explain` is set.
 * Properties of the object are left out: callers read the row anyway, and reading properties makes a search of Weaviate take
 * 50 % longer.
 */
export type Hit = { id: string; score: number; legs: HitLegs | null };

/** Rank (from 1) and raw score (BM25, cosine similarity) in each search; null when the hit is not among its first 100. */
export type HitLegs = { keyword: HitLeg | null; vector: HitLeg | null };
export type HitLeg = { rank: number; score: number };

type SearchTarget = { collection: TenantCollection; signal: AbortSignal };
type RankedObject = { id: string; score: number };
type RankingQuery = Pick<IndexSearch, 'limit'> & {
  text: string;
  vector: number[] | null;
  filters: FilterValue;
  /** How much the scores of a hybrid search are regularized, from 0 to 1. */
  strength: number;
};

/** Weight of the vector search in a hybrid search. */
const VECTOR_WEIGHT = 0.46;
const LEG_DEPTH = 100;
/**
 * Fewest hits that a keyword search asks for. Weaviate adds up scores of the properties of its keyword search, of which each
 * gives no more than its own first hits (`limit` and a tenth, at least 10 more): an object that is in the middle of both would
 * be missing, or be ranked by one of them alone (`combineResults` in `bm25_searcher_block.go` of Weaviate 1.38).
 */
const KEYWORD_DEPTH = 100;

/**
 * Searches one tenant. `vector` ranks by cosine similarity, `keyword` by BM25 over the text and the stemmed text, `hybrid` fuses
 * both by relative score, and, for queries of more than four words, moves the scores of the first 30 towards
 * those of similar hits. A missing tenant has no hits.
 * @throws AppError `dependency_unavailable` when Weaviate is unavailable, never an empty result; the reason of the signal.
 */
export async function searchTenant(
  connection: WeaviateConnection,
  tenant: Tenant,
  search: IndexSearch,
): Promise<Hit[]> {
  return runInTenant(connection, tenant, {
    absent: [],
    run: (collection, signal) => searchCollection({ collection, signal }, search),
    signal: search.signal,
  });
}

async function searchCollection(target: SearchTarget, search: IndexSearch): Promise<Hit[]> {
  const filters = search.filter ? toWeaviateFilter(search.filter, target.collection) : 'everything';
  if (filters === 'nothing' || search.limit === 0) return [];
  const query: RankingQuery = {
    limit: search.limit,
    text: keywordQuery(search.queryText),
    vector: search.queryVector ? Array.from(search.queryVector) : null,
    filters: withoutVersions(target.collection, filters, search.exclude ?? []),
    strength: search.type === 'hybrid' && search.regularize !== false ? regularizationStrength(search.queryText) : 0,
  };
  if (!search.explain) return (await rank(target, search.type, query)).map((hit) => ({ ...hit, legs: null }));
  const legQuery = { ...query, limit: LEG_DEPTH };
  const [hits, keyword, vector] = await Promise.all([
    rank(target, search.type, query),
    search.type === 'vector' ? [] : rank(target, 'keyword', legQuery),
    search.type === 'keyword' ? [] : rank(target, 'vector', legQuery),
  ]);
  return hits.map((hit) => ({ ...hit, legs: { keyword: legOf(hit, keyword), vector: legOf(hit, vector) } }));
}

/** Weaviate compares vectors exactly only in filtered searches that leave few objects, so there is always a filter. */
function withoutVersions(
  { filter }: TenantCollection,
  filters: FilterValue | 'everything',
  versions: readonly ContentVersion[],
): FilterValue {
  const included = filters === 'everything' ? filter.byProperty('version').greaterOrEqual(0) : filters;
  if (versions.length === 0) return included;
  const excluded = versions.map(({ content_id, version }) =>
    Filters.and(filter.byProperty('content_id').equal(content_id), filter.byProperty('version').equal(version)),
  );
  return Filters.and(included, Filters.not(Filters.or(...excluded)));
}

function legOf({ id }: RankedObject, leg: readonly RankedObject[]): HitLeg | null {
  const index = leg.findIndex((object) => object.id === id);
  const object = leg[index];
  return object ? { rank: index + 1, score: object.score } : null;
}

async function rank(target: SearchTarget, type: SearchType, ranking: RankingQuery): Promise<RankedObject[]> {
  const { query } = target.collection;
  const call = { abortSignal: target.signal };
  const options = {
    limit: ranking.limit,
    returnProperties: NO_PROPERTIES,
    filters: ranking.filters,
  };
  const keywordOptions = { ...options, queryProperties: [...KEYWORD_PROPERTIES], returnMetadata: SCORE };
  switch (type) {
    case 'vector': {
      const { objects } = await query.nearVector(vectorOf(ranking), { ...options, returnMetadata: DISTANCE }, call);
      return objects.map((object) => ({ id: object.uuid, score: 1 - (object.metadata?.distance ?? 1) }));
    }
    case 'keyword': {
      if (ranking.text === '') return [];
      const limit = Math.max(ranking.limit, KEYWORD_DEPTH);
      const { objects } = await query.bm25(ranking.text, { ...keywordOptions, limit }, call);
      const hits = objects.map((object) => ({ id: object.uuid, score: object.metadata?.score ?? 0 }));
      return hits.slice(0, ranking.limit);
    }
    case 'hybrid':
      return searchHybrid(target, ranking);
    default:
      return assertNever(type);
  }
}

async function searchHybrid({ collection, signal }: SearchTarget, ranking: RankingQuery): Promise<RankedObject[]> {
  // Without a word, there is no keyword search to fuse.
  if (ranking.text === '') return rank({ collection, signal }, 'vector', ranking);
  // The same hits are ordered, however few of them are asked for.
  const isRegularized = ranking.strength > 0;
  const limit = isRegularized ? Math.max(ranking.limit, REGULARIZED_HITS) : ranking.limit;
  const includeVector = isRegularized && limit === REGULARIZED_HITS;
  const fusion = { vector: vectorOf(ranking), alpha: VECTOR_WEIGHT, fusionType: 'RelativeScore' } as const;
  const options = { limit, includeVector, returnProperties: NO_PROPERTIES, filters: ranking.filters };
  const { objects } = await collection.query.hybrid(
    ranking.text,
    { ...options, ...fusion, queryProperties: [...KEYWORD_PROPERTIES], returnMetadata: SCORE },
    { abortSignal: signal },
  );
  const hits = objects.map((object) => ({ id: object.uuid, score: object.metadata?.score ?? 0 }));
  if (!isRegularized) return hits;
  const first = hits.slice(0, REGULARIZED_HITS);
  const vectors = includeVector
    ? vectorsOf(objects)
    : await readVectors(
        collection,
        first.map(({ id }) => id),
      );
  const ordered = regularizeHits(first, vectors, ranking.strength);
  return [...ordered, ...hits.slice(REGULARIZED_HITS)].slice(0, ranking.limit);
}

/** Orders hits by their regularized scores. Those that were deleted meanwhile have no vector, and keep their score. */
function regularizeHits(
  hits: readonly RankedObject[],
  vectors: ReadonlyMap<string, readonly number[]>,
  strength: number,
): RankedObject[] {
  const scored = hits.flatMap(({ id, score }) => {
    const vector = vectors.get(id);
    return vector ? [{ id, score, vector }] : [];
  });
  const scores = regularizeScores(scored, strength);
  const changed = new Map(scored.map(({ id }, index) => [id, scores[index]]));
  const ordered = hits.map(({ id, score }) => ({ id, score: changed.get(id) ?? score }));
  return ordered.toSorted((a, b) => b.score - a.score);
}

const SCORE: 'score'[] = ['score'];
const DISTANCE: 'distance'[] = ['distance'];
const NO_PROPERTIES: never[] = [];

function vectorOf({ vector }: RankingQuery): number[] {
  if (!vector) throw new AppError('internal', 'A vector or hybrid search needs the embedded query.');
  return vector;
}
