import type { FilterValue } from 'weaviate-client';
import { AppError, assertNever } from '#domain/app-error.ts';
import type { FacetQuery } from '#domain/filters/compile-filter.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Tenant, TenantCollection, WeaviateConnection } from './connection.ts';
import { toWeaviateFilter } from './weaviate-filter.ts';
import { keywordQuery } from './stemmed-text.ts';
import { runInTenant } from './tenants.ts';
import { KEYWORD_PROPERTIES } from './class-definition.ts';

export type IndexSearch = {
  type: SearchType;
  queryText: string;
  /** The embedded query; null only for `keyword`. */
  queryVector: Float32Array | null;
  /** Null: everything. */
  filter: FacetQuery | null;
  limit: number;
  /** Also ask each leg alone, for the hits' `legs`. */
  explain?: boolean;
};

/**
 * `score`: higher is better, comparable within one answer only. `legs` is null unless asked for. Nothing else of the object:
 * whoever asks reads the row anyway, and Weaviate takes half as long again to look properties up.
 */
export type Hit = { id: string; score: number; legs: HitLegs | null };

/** Place (from 1) and raw score in each leg, BM25 and cosine similarity; null where the hit is not among its first hundred. */
export type HitLegs = { keyword: HitLeg | null; vector: HitLeg | null };
export type HitLeg = { rank: number; score: number };

type SearchTarget = { collection: TenantCollection; abandoned: AbortSignal };
type RankedObject = { id: string; score: number };
type RankingQuery = Pick<IndexSearch, 'limit'> & { text: string; vector: number[] | null; filters: FilterValue };

/** How much each leg counts in a hybrid search; half and half was measured best, and it is Weaviate's plain meaning of "both". */
const VECTOR_WEIGHT = 0.5;
const LEG_DEPTH = 100;

/**
 * Searches one tenant. `vector` ranks by cosine similarity, `keyword` by BM25 over the text and its stemmed shadow, `hybrid` fuses
 * both by relative score. A tenant that is not there has no hits.
 * @throws AppError `dependency_unavailable`: never an empty answer because Weaviate is away.
 */
export async function searchTenant(
  connection: WeaviateConnection,
  tenant: Tenant,
  search: IndexSearch,
): Promise<Hit[]> {
  return runInTenant(connection, tenant, {
    absent: [],
    run: (collection, abandoned) => searchCollection({ collection, abandoned }, search),
  });
}

async function searchCollection(asked: SearchTarget, search: IndexSearch): Promise<Hit[]> {
  const filters = search.filter ? toWeaviateFilter(search.filter, asked.collection) : 'everything';
  if (filters === 'nothing' || search.limit === 0) return [];
  const question: RankingQuery = {
    limit: search.limit,
    text: keywordQuery(search.queryText),
    vector: search.queryVector ? Array.from(search.queryVector) : null,
    // Weaviate compares exactly only where a filter leaves few objects, so there is always one.
    filters: filters === 'everything' ? asked.collection.filter.byProperty('version').greaterOrEqual(0) : filters,
  };
  const hits = await rank(asked, search.type, question);
  if (!search.explain) return hits.map((hit) => ({ ...hit, legs: null }));
  const deep = { ...question, limit: LEG_DEPTH };
  const [keyword, vector] = await Promise.all([
    search.type === 'vector' ? [] : rank(asked, 'keyword', deep),
    search.type === 'keyword' ? [] : rank(asked, 'vector', deep),
  ]);
  return hits.map((hit) => ({ ...hit, legs: { keyword: legOf(hit, keyword), vector: legOf(hit, vector) } }));
}

function legOf({ id }: RankedObject, leg: readonly RankedObject[]): HitLeg | null {
  const index = leg.findIndex((object) => object.id === id);
  const object = leg[index];
  return object ? { rank: index + 1, score: object.score } : null;
}

async function rank(asked: SearchTarget, type: SearchType, question: RankingQuery): Promise<RankedObject[]> {
  const { query } = asked.collection;
  const call = { abortSignal: asked.abandoned };
  const options = {
    limit: question.limit,
    returnProperties: NO_PROPERTIES,
    filters: question.filters,
  };
  const keywordOptions = { ...options, queryProperties: [...KEYWORD_PROPERTIES], returnMetadata: SCORE };
  switch (type) {
    case 'vector': {
      const { objects } = await query.nearVector(vectorOf(question), { ...options, returnMetadata: DISTANCE }, call);
      return objects.map((object) => ({ id: object.uuid, score: 1 - (object.metadata?.distance ?? 1) }));
    }
    case 'keyword': {
      if (question.text === '') return [];
      const { objects } = await query.bm25(question.text, keywordOptions, call);
      return objects.map((object) => ({ id: object.uuid, score: object.metadata?.score ?? 0 }));
    }
    case 'hybrid': {
      // Without a word there is nothing to fuse.
      if (question.text === '') return rank(asked, 'vector', question);
      const fusion = { vector: vectorOf(question), alpha: VECTOR_WEIGHT, fusionType: 'RelativeScore' } as const;
      const { objects } = await query.hybrid(question.text, { ...keywordOptions, ...fusion }, call);
      return objects.map((object) => ({ id: object.uuid, score: object.metadata?.score ?? 0 }));
    }
    default:
      return assertNever(type);
  }
}

const SCORE: 'score'[] = ['score'];
const DISTANCE: 'distance'[] = ['distance'];
const NO_PROPERTIES: never[] = [];

function vectorOf({ vector }: RankingQuery): number[] {
  if (!vector) throw new AppError('internal', 'A vector or hybrid search needs the embedded query.');
  return vector;
}
