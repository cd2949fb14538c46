import { assertNever } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { SearchMemoriesRequest, SearchMemoriesResponse } from '#domain/records/memory.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Scope } from '#domain/access/scope.ts';
import { searchWithModel } from './search-with-model.ts';
import { searchWithoutModel } from './search-without-model.ts';
import { embedSearch, searchMemoryIndex, type MemorySearchResult, type MemorySearch } from './search-memory-index.ts';
import { limitBeforeReranking, rerankMemories } from './rerank-memories.ts';
import { resolveOwnerFilter } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryRecord } from './memory-record.ts';

/** `signal`: aborted when nobody waits for the result any more. */
type SearchCall = SearchMemoriesRequest & { signal?: AbortSignal | undefined };

/**
 * Searches memories: with a user token those of its user, with an API key those of one user or of the whole workspace.
 * @throws AppError `forbidden` for another user, `dependency_unavailable` when the index, the embedder or Postgres is
 * unavailable.
 */
export async function searchMemories(
  services: Services,
  caller: Caller,
  request: SearchCall,
): Promise<SearchMemoriesResponse> {
  const userId = resolveOwnerFilter(caller, request.user_id);
  const asOf = request.as_of === undefined ? null : new Date(request.as_of);
  const limit = limitBeforeReranking(services, request);
  const found = await runSearch(services, caller.scope, { ...request, userId, asOf, limit });
  const { result, reranking } = await rerankMemories(services, caller.scope, { request, found });
  const { rows, details } = result;
  return {
    memories: rows.map(toMemoryRecord),
    total_results: rows.length,
    query: request.query,
    retrieval_method: request.retrieval_method,
    retrieval_details: details,
    ...reranking,
  };
}

type ResolvedRequest = SearchCall & { userId: string | null; asOf: Date | null };

function runSearch(services: Services, scope: Scope, request: ResolvedRequest): Promise<MemorySearchResult> {
  const { retrieval_method: method, query, userId, asOf, limit, signal } = request;
  const search = (type: SearchType): MemorySearch => ({ query, type, userId, asOf, limit, signal });
  switch (method) {
    case 'last_n':
    case 'first_n':
      return listByAge(services, scope, request);
    case 'vector':
    case 'keyword':
    case 'hybrid':
      return searchOnce(services, scope, search(method));
    case 'agentic_vector':
      return searchAgentically(services, scope, search('vector'));
    case 'agentic_keyword':
      return searchAgentically(services, scope, search('keyword'));
    case 'agentic':
    case 'agentic_hybrid':
      return searchAgentically(services, scope, search('hybrid'));
    default:
      return assertNever(method);
  }
}

async function listByAge(services: Services, scope: Scope, request: ResolvedRequest): Promise<MemorySearchResult> {
  const { userId, asOf, limit } = request;
  const first = request.retrieval_method === 'last_n' ? 'newest' : 'oldest';
  const rows = await services.stores.memories.listByAge(scope, { userId, asOf }, { first, limit });
  return { rows, details: { steps: [first], model: null, queries: [], note: null } };
}

async function searchOnce(services: Services, scope: Scope, search: MemorySearch): Promise<MemorySearchResult> {
  const vector = await embedSearch(services, scope, search);
  const rows = await searchMemoryIndex(services, scope, { ...search, text: search.query, vector });
  return { rows, details: { steps: [search.type], model: null, queries: [search.query], note: null } };
}

/** Searches with the chat model; without it when none is configured or it fails. */
async function searchAgentically(services: Services, scope: Scope, search: MemorySearch): Promise<MemorySearchResult> {
  if (services.chat === null) return searchWithoutModel(services, scope, search);
  const found = await searchWithModel(services, services.chat, { scope, search });
  if (found) return found;
  const { rows, details } = await searchWithoutModel(services, scope, search);
  return { rows, details: { ...details, note: 'The chat model returned no usable answer.' } };
}
