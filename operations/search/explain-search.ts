import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import type { Content } from '#domain/records/content.ts';
import type { ContentStatusFields, ExplainSearchRequest, MissingResult } from '#domain/records/missing-result.ts';
import type { Filter } from '#domain/filters/filter.ts';
import { SearchRequest } from '#domain/records/search.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import type { ChunkText } from '#store/contents/chunk-hits.ts';
import type { ContentLink } from '#store/contents/published-chunks.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import { contentNotFound } from '#operations/contents/contents.ts';
import type { Services } from '#operations/services.ts';
import { findPassingChunks } from './find-passing-chunks.ts';
import { findPlaces, type Places } from './find-places.ts';
import { explainTerms, missingMessage } from './missing-message.ts';
import { measureRelevance } from './measure-relevance.ts';
import { queryVectors } from './query-vectors.ts';
import { rerankDepth } from './rerank-hits.ts';
import { searchCollection } from './search-collection.ts';

/** `signal`: aborts when the client leaves. */
type ExplainCall = ExplainSearchRequest & { signal?: AbortSignal | undefined };

/** `link`: null when the collection does not have the content. */
type Expected = {
  content: Content;
  link: ContentLink | null;
  collectionId: string;
  index: IndexGeneration;
  chunkId: string | null;
};
/** `place`: among the results, from 1; null unless it is found. */
type Examined = Omit<MissingResult, 'message' | 'query' | 'search_type' | 'collection_id' | 'content'> & {
  place: number | null;
};

/**
 * Explains why a search does not have a content or a chunk: walks the way that a search goes, and stops where it is lost.
 * @throws AppError `not_found` for a content, chunk or collection out of scope; `conflict` when the embedder is not configured;
 *   `dependency_unavailable`; the reason of the signal.
 */
export async function explainSearch(services: Services, caller: Caller, request: ExplainCall): Promise<MissingResult> {
  const filter = parseFilter(request.filters);
  const expected = await findExpected(services, caller, request);
  const { place, ...examined } = await examine(services, caller, { request, filter, expected });
  const { id, name } = expected.content;
  const status = statusFor(caller, expected);
  return {
    ...examined,
    message: missingMessage(examined, { request, status, place }),
    query: request.query,
    search_type: request.search_type,
    collection_id: expected.collectionId,
    content: { id, name, ...status },
  };
}

/** The status of a content in the collection that was asked for, else in its own one; only for those who may read contents. */
function statusFor(caller: Caller, { link, content }: Expected): ContentStatusFields {
  if (!holdsPermissions(caller, ['contents:read'])) return { status: null, status_message: null, error_code: null };
  const { status, status_message, error_code } = link ?? content;
  return { status, status_message: status_message ?? null, error_code: error_code ?? null };
}

async function findExpected(services: Services, caller: Caller, request: ExplainSearchRequest): Promise<Expected> {
  const { stores } = services;
  const { chunk_id: chunkId = null } = request;
  const asked = { ids: chunkId === null ? [] : [chunkId], withMetadata: false };
  const [chunk] = await stores.chunks.findHits(caller.scope, asked);
  const contentId = request.content_id ?? chunk?.content_id;
  const content = contentId === undefined ? null : await stores.contents.find(caller.scope, contentId);
  if (!content) throw contentNotFound();
  const collectionId = request.collection_id ?? chunk?.collection_id ?? content.collection_id;
  const found = await stores.collections.findIndex(caller.scope, collectionId);
  if (!found) throw collectionNotFound();
  const link = await stores.chunks.findLink(caller.scope, { contentId: content.id, collectionId });
  return { content, link, collectionId, index: found.index, chunkId };
}

type Examination = { request: ExplainCall; filter: Filter | null; expected: Expected };

const NOTHING: Omit<Examined, 'reason'> = {
  chunk_id: null,
  filters: [],
  terms: [],
  keyword: null,
  vector: null,
  rank: null,
  rerank: null,
  score: null,
  relevance: null,
  lost_to: [],
  place: null,
};

async function examine(services: Services, caller: Caller, examination: Examination): Promise<Examined> {
  const { filter, expected } = examination;
  const { link } = expected;
  if (!link) return { ...NOTHING, reason: 'not_in_collection' };
  const { content, collectionId, chunkId } = expected;
  const of = { contentId: content.id, collectionId, chunkId, filter, signal: examination.request.signal };
  const passing = link.active_version === null ? null : await findPassingChunks(services, caller, of);
  if (!passing?.shown) return { ...NOTHING, reason: chunkId === null ? 'not_ingested' : 'not_in_collection' };
  const known = { ...NOTHING, filters: [...passing.checks], chunk_id: passing.shown };
  if (passing.ids.size === 0) return { ...known, reason: 'filtered_out' };
  return examineRanking(services, caller, { ...examination, ids: passing.ids, known });
}

/** `ids`: the chunks that are expected. */
type RankingExamination = Examination & { ids: ReadonlySet<string>; known: Omit<Examined, 'reason'> };

async function examineRanking(services: Services, caller: Caller, asked: RankingExamination): Promise<Examined> {
  const { request, filter, expected, ids } = asked;
  const { query, search_type: type, min_score: minScore } = request;
  const isExpected = (id: string) => ids.has(id);
  const content = { index: expected.index, contentId: expected.content.id, isExpected };
  const search = { ...content, query, type, filter, share: caller.scope.workspaceId, signal: request.signal };
  const [places, answer] = await Promise.all([findPlaces(services, search), searchAsAsked(services, caller, asked)]);
  const { rerank = null } = answer.results.find(({ chunk }) => ids.has(chunk.id))?.explain ?? {};
  const results = answer.results.slice(0, request.max_results);
  const shown = places.chunkId ?? asked.known.chunk_id;
  const [row] = shown === null ? [] : await services.stores.chunks.findTexts(caller.scope, [shown]);
  const at = results.findIndex(({ chunk }) => ids.has(chunk.id));
  const isFound = at !== -1;
  const relevance = row && minScore !== undefined ? await relevanceOfRow(services, caller, { request, row }) : null;
  const terms = row ? explainTerms(query, row) : [];
  const competitors = results.map((result, index) => ({
    rank: index + 1,
    score: result.score,
    chunk_id: result.chunk.id,
    content_id: result.content_id,
    source: result.source,
  }));
  return {
    ...asked.known,
    reason: isFound
      ? 'found'
      : reasonOf(places, {
          type,
          hasWords: terms.some(({ found }) => found.length > 0),
          isBelow: relevance !== null && relevance < (minScore ?? 0),
        }),
    chunk_id: row?.id ?? null,
    terms,
    keyword: places.keyword,
    vector: places.vector,
    rank: places.ranking.rank,
    score: places.ranking.score,
    rerank,
    reranked: answer.reranked,
    not_reranked: answer.not_reranked,
    relevance,
    lost_to: isFound ? [] : competitors.slice(-10),
    place: isFound ? at + 1 : null,
  };
}

function reasonOf(
  { keyword, vector, isFiltersOutdated }: Places,
  { type, hasWords, isBelow }: { type: string; hasWords: boolean; isBelow: boolean },
): MissingResult['reason'] {
  if (isFiltersOutdated) return 'filters_outdated';
  // Vectors match everything that the index has.
  if (vector !== null && !vector.is_matched && keyword?.is_matched !== true) return 'not_indexed';
  if (type === 'keyword' && keyword?.is_matched !== true) return hasWords ? 'not_indexed' : 'not_matched';
  return isBelow ? 'below_threshold' : 'below_cut';
}

/** The search of the request. With `rerank` it returns all hits that were reranked, which may be more than `max_results`. */
function searchAsAsked(services: Services, caller: Caller, { request, expected }: RankingExamination) {
  const { query, search_type, filters, min_score, rerank } = request;
  const depth = rerankDepth(services, rerank) ?? 0;
  const parsed = SearchRequest.parse({
    query,
    collection_id: expected.collectionId,
    search_type,
    filters,
    max_results: Math.max(request.max_results, depth),
    explain: depth > 0,
    ...(min_score === undefined ? {} : { min_score }),
    ...(rerank === undefined ? {} : { rerank }),
  });
  return searchCollection(services, caller, { ...parsed, signal: request.signal });
}

async function relevanceOfRow(
  services: Services,
  caller: Caller,
  { request: { query, search_type, signal }, row }: { request: ExplainCall; row: ChunkText },
): Promise<number | null> {
  const vectorOf = queryVectors(
    services,
    { text: query, share: caller.scope.workspaceId, signal },
    { hasOthers: false },
  );
  const asked = { query, search_type, vectorOf, isOfSeveral: false };
  const [rated] = await measureRelevance(services, caller, { request: asked, hits: [{ row }] });
  return rated?.relevance ?? null;
}
