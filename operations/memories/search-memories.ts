import { assertNever } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { RetrievalDetails, SearchMemoriesRequest, SearchMemoriesResponse } from '#domain/records/memory.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { MemoryRow } from '#store/memories/memories.ts';
import { findWithFeedback } from './find-with-feedback.ts';
import { findWithModel } from './find-with-model.ts';
import { embedQuery, findMemories } from './find-memories.ts';
import { ownerInSight } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryRecord } from './present-memory.ts';

/** Memories in their order, and how they were found. */
export type Found = { rows: MemoryRow[]; details: RetrievalDetails };
/** A search without the words that it is done with. */
export type MemorySearch = {
  query: string;
  type: SearchType;
  userId: string | null;
  asOf: Date | null;
  limit: number;
};

/**
 * Searches memories: with a token those of its user, with a key those of a user or of the whole workspace.
 * @throws AppError `forbidden` for another user's, `dependency_unavailable` when index, embedder or database is away.
 */
export async function searchMemories(
  services: Services,
  caller: Caller,
  request: SearchMemoriesRequest,
): Promise<SearchMemoriesResponse> {
  const userId = ownerInSight(caller, request.user_id);
  const asOf = request.as_of === undefined ? null : new Date(request.as_of);
  const { rows, details } = await find(services, caller.scope, { ...request, userId, asOf });
  return {
    memories: rows.map(toMemoryRecord),
    total_results: rows.length,
    query: request.query,
    retrieval_method: request.retrieval_method,
    retrieval_details: details,
  };
}

type Asked = SearchMemoriesRequest & { userId: string | null; asOf: Date | null };

function find(services: Services, scope: Scope, asked: Asked): Promise<Found> {
  const { retrieval_method: method, query, userId, asOf, limit } = asked;
  const search = (type: SearchType): MemorySearch => ({ query, type, userId, asOf, limit });
  switch (method) {
    case 'last_n':
    case 'first_n':
      return listOutermost(services, scope, asked);
    case 'vector':
    case 'keyword':
    case 'hybrid':
      return findPlainly(services, scope, search(method));
    case 'agentic_vector':
      return findAgentically(services, scope, search('vector'));
    case 'agentic_keyword':
      return findAgentically(services, scope, search('keyword'));
    case 'agentic':
    case 'agentic_hybrid':
      return findAgentically(services, scope, search('hybrid'));
    default:
      return assertNever(method);
  }
}

async function listOutermost(services: Services, scope: Scope, asked: Asked): Promise<Found> {
  const { userId, asOf, limit } = asked;
  const end = asked.retrieval_method === 'last_n' ? 'newest' : 'oldest';
  const rows = await services.stores.memories.outermost(scope, { userId, asOf }, { end, limit });
  return { rows, details: { steps: [end], model: null, queries: [], note: null } };
}

async function findPlainly(services: Services, scope: Scope, search: MemorySearch): Promise<Found> {
  const vector = search.type === 'keyword' ? null : await embedQuery(services, search.query);
  const rows = await findMemories(services, scope, { ...search, text: search.query, vector });
  return { rows, details: { steps: [search.type], model: null, queries: [search.query], note: null } };
}

/** With the chat model, if there is one and it answers; else with feedback from a first search. */
async function findAgentically(services: Services, scope: Scope, search: MemorySearch): Promise<Found> {
  if (services.chat === null) return findWithFeedback(services, scope, search);
  const found = await findWithModel(services, services.chat, { scope, search });
  if (found) return found;
  const { rows, details } = await findWithFeedback(services, scope, search);
  return { rows, details: { ...details, note: 'The chat model gave no usable answer.' } };
}
