import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { FoundPassage } from '#domain/answers/passages.ts';
import type { AnswerRequest } from '#domain/records/answer.ts';
import {
  SearchRequest,
  type FailedCollection,
  type SearchResponse,
  type SearchResult,
} from '#domain/records/search.ts';
import { searchCollection } from '#operations/search/search-collection.ts';
import type { Services } from '#operations/services.ts';

/** Nonsense finds nothing at this relevance, and questions nearly always what answers them: decision 0144 has the figures. */
const DEFAULT_MIN_SCORE = 0.5;

/** What was found, best first, and whether it was reranked. `failed`: collections that could not be searched. */
export type RetrievedPassages = Pick<SearchResponse, 'reranked' | 'not_reranked'> & {
  found: FoundPassage[];
  failed: FailedCollection[];
};

/**
 * Searches the collections of the request for `query`. Returns nothing unless the best passage is relevant enough; then also
 * passages that are less relevant, as they may complete it.
 * @throws AppError like `searchCollection`; the failure of a collection when the others have nothing: it may have the answer.
 */
export async function retrievePassages(
  services: Services,
  caller: Caller,
  { request, query, signal }: { request: AnswerRequest; query: string; signal: AbortSignal },
): Promise<RetrievedPassages> {
  const { collection_ids, search_type, filters, max_results, rerank } = request;
  const asked = { query, collection_ids, search_type, filters, max_results, min_score: 0 };
  const search = SearchRequest.parse(rerank === undefined ? asked : { ...asked, rerank });
  const {
    results,
    failed_collections: failed = [],
    ...order
  } = await searchCollection(services, caller, {
    ...search,
    signal,
  });
  const { reranked, not_reranked } = order;
  const found = results.map(toPassage);
  const needed = request.min_score ?? (search_type === 'keyword' ? 0 : DEFAULT_MIN_SCORE);
  if (found.some(({ relevance }) => relevance >= needed)) return { found, failed, reranked, not_reranked };
  const [first] = failed;
  if (first === undefined) return { found: [], failed, reranked, not_reranked };
  const { collection_id: id, code, message } = first;
  throw new AppError(code, `Nothing was found elsewhere, and collection ${id} could not be searched: ${message}`);
}

/**
 * Searches for a question as it was reworded, and as it was asked when that finds nothing: a model may have lost what it is about.
 * `searchedFor` is what found the passages; the reworded question where neither does.
 * @throws AppError like `retrievePassages`
 */
export async function retrieveForQuestion(
  services: Services,
  caller: Caller,
  { request, reworded, signal }: { request: AnswerRequest; reworded: string; signal: AbortSignal },
): Promise<{ searchedFor: string; retrieved: RetrievedPassages }> {
  const retrieved = await retrievePassages(services, caller, { request, query: reworded, signal });
  if (retrieved.found.length > 0 || reworded === request.query) return { searchedFor: reworded, retrieved };
  signal.throwIfAborted();
  const asAsked = await retrievePassages(services, caller, { request, query: request.query, signal });
  return asAsked.found.length > 0
    ? { searchedFor: request.query, retrieved: asAsked }
    : { searchedFor: reworded, retrieved };
}

function toPassage(result: SearchResult): FoundPassage {
  const { content, content_id, collection_id, source, score, relevance = 0, chunk } = result;
  const { id: chunk_id, page, heading_path } = chunk;
  return { content, content_id, collection_id, chunk_id, source, page, heading_path, score, relevance };
}
