import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Filter } from '#domain/filters/filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { SEARCH_WINDOW } from '#domain/records/search-options.ts';
import type { SearchRequest, SearchResponse } from '#domain/records/search.ts';
import type { Services } from '#operations/services.ts';
import { addExtras } from './add-extras.ts';
import { countFacets, requireContentFilter } from './count-facets.ts';
import { rankCollection } from './rank-collection.ts';
import { rankCollections } from './rank-collections.ts';
import type { Ranking } from './ranking.ts';
import { rankInSteps } from './rank-in-steps.ts';
import { retryReplaced } from './retry-replaced.ts';
import { selectHits } from './select-hits.ts';
import { rerankDepth, rerankHits } from './rerank-hits.ts';
import { findVerifiedHits } from './verified-hits.ts';
import { verifyHits } from './verify-hits.ts';

type SearchCall = SearchRequest & {
  /** Aborts when the client leaves, so that nothing more is read for it. */
  signal?: AbortSignal | undefined;
  /** Ranks no more hits for a page than it needs: few callers ask for the second one. */
  inSteps?: boolean;
};
type ParsedSearch = { request: SearchCall; filter: Filter | null };

/**
 * Searches one collection, or several together. Weaviate ranks; Postgres decides which hits are published and match the filters.
 * A collection without contents has no results.
 * @throws AppError `not_found`; `validation_failed` for invalid filters; `conflict` when the embedder of the collection is not
 *   configured; `dependency_unavailable` when Postgres, Weaviate or the embedder is unavailable, never an empty answer; the reason
 *   of the signal.
 */
export async function searchCollection(
  services: Services,
  caller: Caller,
  request: SearchCall,
): Promise<SearchResponse> {
  const startedMs = performance.now();
  const filter = parseFilter(request.filters);
  if (request.facets !== undefined) requireContentFilter(filter);
  try {
    const found = await runSearch(services, caller, { request, filter });
    const elapsedMs = performance.now() - startedMs;
    services.metrics.observeSearch({ type: request.search_type, outcome: 'ok' }, elapsedMs);
    return {
      ...found,
      total_results: found.results.length,
      query: request.query,
      search_type: request.search_type,
      collection_id: request.collection_id ?? null,
      execution_time_ms: Math.round(elapsedMs * 100) / 100,
    };
  } catch (error) {
    // A client that left is no failure.
    if (request.signal?.aborted === true) throw error;
    const outcome = error instanceof AppError ? error.code : 'internal';
    services.metrics.observeSearch({ type: request.search_type, outcome }, performance.now() - startedMs);
    throw error;
  }
}

type Found = Pick<
  SearchResponse,
  'results' | 'failed_collections' | 'reranked' | 'not_reranked' | 'next_offset' | 'facets'
>;

async function runSearch(services: Services, caller: Caller, search: ParsedSearch): Promise<Found> {
  const { request, filter } = search;
  const { facets: names, signal } = request;
  const ranking = await openRanking(services, caller, search);
  const { collectionIds } = ranking;
  const [selected, facets] = await Promise.all([
    retryReplaced((onReplaced) => findHits(services, caller, { ...search, ranking, onReplaced })),
    names && countFacets(services, caller, { names, filter, collectionIds, signal }),
  ]);
  const failed = ranking.failed();
  return {
    results: await addExtras(services, caller, { request, hits: selected.hits }),
    ...(failed === null ? {} : { failed_collections: failed }),
    ...selected.reranking,
    ...(request.offset === undefined ? {} : { next_offset: selected.nextOffset }),
    ...(facets === undefined ? {} : { facets }),
  };
}

type HitSearch = ParsedSearch & { ranking: Ranking; onReplaced: () => void };

/** Ranks, verifies, reranks and selects. `onReplaced`: called when hits were replaced since they were verified. */
async function findHits(services: Services, caller: Caller, { request, filter, ranking, onReplaced }: HitSearch) {
  const { query, recency, rerank, signal } = request;
  const { collectionIds } = ranking;
  const rank = (limit: number) =>
    findVerifiedHits({
      limit,
      searchIndex: ranking.searchIndex,
      verify: (hits) => {
        const isWide = hits.length > request.max_results;
        return verifyHits(services, caller, { hits, filter, recency, collectionIds, isWide, signal });
      },
      findUnpublished: (ids) => services.stores.chunks.findUnpublished(caller.scope, ids),
      requireIndexExists: ranking.requireIndexExists,
    });
  const window = windowOf(request, rerankDepth(services, rerank));
  const verified = window === 'in steps' ? await rankInSteps(endOf(request) + 1, rank) : await rank(window);
  signal?.throwIfAborted();
  const ranked = await rerankHits(services, caller, { query, option: rerank, hits: verified, onReplaced });
  const selected = await selectHits(services, caller, { request, hits: ranked.hits, ranking, onReplaced, signal });
  return { ...selected, reranking: ranked.reranking };
}

/** Hits to rank. What is left out, reordered, grouped or cut into pages needs more than the results; pages need always the same. */
function windowOf(request: SearchCall, depth: number | null): number | 'in steps' {
  const { offset, group_by, recency, min_score: minScore = 0, max_results } = request;
  const isOrdered = group_by === undefined && recency === undefined && minScore === 0;
  if (isOrdered && offset === undefined) return Math.max(max_results, depth ?? 0);
  return isOrdered && depth === null && request.inSteps === true ? 'in steps' : SEARCH_WINDOW;
}

function endOf({ offset = 0, max_results }: SearchRequest): number {
  return offset + max_results;
}

function openRanking(services: Services, caller: Caller, { request, filter }: ParsedSearch): Promise<Ranking> {
  const { collection_id: collectionId, collection_ids: collectionIds = [] } = request;
  return collectionId === undefined
    ? rankCollections(services, caller, { request, filter, collectionIds, signal: request.signal })
    : rankCollection(services, caller, { request, filter, collectionId, signal: request.signal });
}
