import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { embedderName } from '#domain/embedder.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { compileFilter } from '#domain/filters/compile-filter.ts';
import type { Filter, FilterRecord } from '#domain/filters/filter.ts';
import { matchesFilter } from '#domain/filters/matches-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import type { SearchRequest, SearchResponse, SearchResult } from '#domain/records/search.ts';
import type { ContentOfChunk, PublishedChunk } from '#store/contents/published-chunks.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import type { Hit } from '#store/weaviate/vector-index.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import type { Services } from '#operations/services.ts';
import { findVerifiedHits } from './verified-hits.ts';

type ChunkRow = PublishedChunk & ContentOfChunk;
type VerifiedHit = { row: ChunkRow; hit: Hit };

/**
 * Searches one collection. Weaviate ranks; Postgres decides which hits are published and match the filters. A collection
 * without contents has no results.
 * @throws AppError `not_found`; `validation_failed` for invalid filters; `conflict` when the embedder of the collection is not
 *   configured; `dependency_unavailable` when Postgres, Weaviate or the embedder is unavailable, never an empty answer.
 */
export async function searchCollection(
  services: Services,
  caller: Caller,
  request: SearchRequest,
): Promise<SearchResponse> {
  const startedMs = performance.now();
  const filter = parseFilter(request.filters);
  const found = await services.stores.collections.findIndex(caller.scope, request.collection_id);
  if (!found) throw collectionNotFound();
  try {
    const queryVector =
      request.search_type === 'keyword' ? null : await embedQuery(services, found.index, request.query);
    const verified = await findVerifiedChunks(services, caller, { request, filter, index: found.index, queryVector });
    const results = verified.map((hit) => toResult(hit, request.explain));
    const elapsedMs = performance.now() - startedMs;
    services.metrics.observeSearch({ type: request.search_type, outcome: 'ok' }, elapsedMs);
    return {
      results,
      total_results: results.length,
      query: request.query,
      search_type: request.search_type,
      collection_id: request.collection_id,
      execution_time_ms: Math.round(elapsedMs * 100) / 100,
    };
  } catch (error) {
    const outcome = error instanceof AppError ? error.code : 'internal';
    services.metrics.observeSearch({ type: request.search_type, outcome }, performance.now() - startedMs);
    throw error;
  }
}

async function embedQuery(services: Services, index: IndexGeneration, text: string): Promise<Float32Array> {
  const embedder = services.embedders.forSpace(index.space);
  if (!embedder) {
    throw new AppError(
      'conflict',
      `The collection was embedded with ${embedderName(index.space)}, which is not configured on this server. ` +
        'Use search_type keyword, or configure that embedder.',
    );
  }
  const [vector] = await embedder.embed([text], 'query');
  if (!vector) throw new AppError('internal', 'The embedder returned no vector.');
  return vector;
}

type CollectionSearch = {
  request: SearchRequest;
  filter: Filter | null;
  index: IndexGeneration;
  /** Null for a keyword search. */
  queryVector: Float32Array | null;
};

function findVerifiedChunks(services: Services, caller: Caller, search: CollectionSearch): Promise<VerifiedHit[]> {
  const { request, filter, index, queryVector } = search;
  const facetQuery = filter === null ? null : compileFilter(filter);
  return findVerifiedHits({
    limit: request.max_results,
    searchIndex: (limit) =>
      services.vectors.search(index.space, index.tenant, {
        type: request.search_type,
        queryText: request.query,
        queryVector,
        filter: facetQuery,
        limit,
        explain: request.explain,
      }),
    verify: (hits) => verifyHits(services, caller, { hits, filter, collectionId: request.collection_id }),
    requireIndexExists: () => requireIndexExists(services, caller, search),
  });
}

/** A Weaviate that lost its data also answers with no hits: then a collection with published chunks has no tenant. */
async function requireIndexExists(
  services: Services,
  caller: Caller,
  { request, index }: CollectionSearch,
): Promise<void> {
  const hasPublished = await services.stores.publications.hasPublished(caller.scope, request.collection_id);
  if (!hasPublished || (await services.vectors.tenantExists(index.space, index.tenant))) return;
  throw new AppError(
    'dependency_unavailable',
    'The search index of this collection was lost and must be rebuilt: POST /workspaces/{workspace_id}/reindex. ' +
      'No content is lost.',
    { retryAfterS: 60 },
  );
}

/** Returns the hits that are published in the collection, in the scope of the caller, and match the filter. */
async function verifyHits(
  services: Services,
  caller: Caller,
  candidates: { hits: readonly Hit[]; filter: Filter | null; collectionId: string },
): Promise<VerifiedHit[]> {
  const { hits, filter, collectionId } = candidates;
  const rows = await services.stores.chunks.findPublished(
    caller.scope,
    hits.map((hit) => hit.id),
  );
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  return hits.flatMap((hit) => {
    const row = rowsById.get(hit.id);
    if (!row || row.collection_id !== collectionId) return [];
    return filter === null || matchesFilter(filter, filterRecordOfRow(row)) ? [{ row, hit }] : [];
  });
}

function filterRecordOfRow(row: ChunkRow): FilterRecord {
  const content = {
    ...row,
    size: row.content_size,
    created_at: row.content_created_at,
    metadata: row.content_metadata,
  };
  return toFilterRecord(content, row.metadata);
}

function toResult({ row, hit }: VerifiedHit, explain: boolean): SearchResult {
  return {
    content: row.content,
    score: hit.score,
    metadata: { ...row.content_metadata, chunk: { id: row.id, index: row.chunk_index, ...row.metadata } },
    content_id: row.content_id,
    source: row.url ?? row.name,
    ...(explain && hit.legs !== null ? { explain: hit.legs } : {}),
  };
}
