import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { embedderName } from '#domain/embedder.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { compileFilter } from '#domain/filters/compile-filter.ts';
import type { Filter } from '#domain/filters/filter.ts';
import { matchesFilter } from '#domain/filters/matches-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import type { SearchRequest, SearchResponse, SearchResult } from '#domain/records/search.ts';
import type { ContentOfChunk, PublishedChunk } from '#store/contents/chunks.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import type { Hit } from '#store/weaviate/vector-index.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import type { Services } from '#operations/services.ts';

/** Most chunks asked of the index for one answer, however many of them verification drops. */
const MAX_LIMIT = 1_000;
const ROUNDS = 2;

type Row = PublishedChunk & ContentOfChunk;
type Verified = { row: Row; hit: Hit };

/**
 * Searches one collection: the index ranks, Postgres has the last word on what is published and matches the filters. When
 * it drops hits, the index is asked once more for as many as it takes. A collection without contents gives no results.
 * @throws AppError `not_found`, `validation_failed` for filters, `conflict` when the collection's embedder is not
 *   configured, `dependency_unavailable` when Postgres, Weaviate or the embedder is away: never an empty answer then.
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
    const verified = await findVerified(services, caller, { request, filter, index: found.index, queryVector });
    const results = verified.map((one) => toResult(one, request.explain));
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
      `This collection was embedded with ${embedderName(index.space)}, which is not configured here; use search_type keyword, or configure that embedder.`,
    );
  }
  const [vector] = await embedder.embed([text], 'query');
  if (!vector) throw new AppError('internal', 'The embedder gave no vector.');
  return vector;
}

type Search = {
  request: SearchRequest;
  filter: Filter | null;
  index: IndexGeneration;
  queryVector: Float32Array | null;
};

async function findVerified(services: Services, caller: Caller, search: Search): Promise<Verified[]> {
  const { request, filter, index, queryVector } = search;
  const facets = filter === null ? null : compileFilter(filter);
  let limit = request.max_results;
  for (let round = 1; ; round += 1) {
    const hits = await services.vectors.search(index.space, index.tenant, {
      type: request.search_type,
      queryText: request.query,
      queryVector,
      filter: facets,
      limit,
      explain: request.explain,
    });
    if (hits.length === 0) await requireWholeIndex(services, caller, search);
    const verified = await verify(services, caller, { hits, filter, collectionId: request.collection_id });
    const isFull = verified.length >= request.max_results || hits.length < limit;
    if (isFull || round === ROUNDS) return verified.slice(0, request.max_results);
    // As many more as were dropped, twice over, for the next ones may be dropped too.
    limit = Math.min(MAX_LIMIT, limit + 2 * (limit - verified.length) + request.max_results);
  }
}

/** Nothing found is an answer only where the index of what is published is there: a Weaviate that lost its data answers, too. */
async function requireWholeIndex(services: Services, caller: Caller, { request, index }: Search): Promise<void> {
  const hasPublished = await services.stores.publications.hasPublished(caller.scope, request.collection_id);
  if (!hasPublished || (await services.vectors.tenantExists(index.space, index.tenant))) return;
  throw new AppError(
    'dependency_unavailable',
    'The search index of this collection is gone and has to be made anew; its contents are all there.',
    { retryAfterS: 60 },
  );
}

async function verify(
  services: Services,
  caller: Caller,
  candidates: { hits: readonly Hit[]; filter: Filter | null; collectionId: string },
): Promise<Verified[]> {
  const { hits, filter, collectionId } = candidates;
  if (hits.length === 0) return [];
  const rows = await services.stores.chunks.findPublished(
    caller.scope,
    hits.map((hit) => hit.id),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return hits.flatMap((hit) => {
    const row = byId.get(hit.id);
    if (!row || row.collection_id !== collectionId) return [];
    return filter === null || matchesFilter(filter, recordOf(row)) ? [{ row, hit }] : [];
  });
}

function recordOf(row: Row) {
  const content = {
    ...row,
    size: row.content_size,
    created_at: row.content_created_at,
    metadata: row.content_metadata,
  };
  return toFilterRecord(content, row.metadata);
}

function toResult({ row, hit }: Verified, explain: boolean): SearchResult {
  return {
    content: row.content,
    score: hit.score,
    metadata: { ...row.content_metadata, chunk: { id: row.id, index: row.chunk_index, ...row.metadata } },
    content_id: row.content_id,
    source: row.url ?? row.name,
    ...(explain ? { explain: { ...hit.legs } } : {}),
  };
}
