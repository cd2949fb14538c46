import { rerankDepthOf, type Reranking } from '#domain/records/rerank-option.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { SearchMemoriesRequest } from '#domain/records/memory.ts';
import { rerankPassages } from '#operations/rerank-passages.ts';
import type { Services } from '#operations/services.ts';
import type { MemorySearchResult } from './search-memory-index.ts';

/** Returns how many memories a search has to find, so that the best of them can be reranked. */
export function limitBeforeReranking(services: Services, { limit, rerank }: SearchMemoriesRequest): number {
  return services.reranker === null ? limit : Math.max(limit, rerankDepthOf(rerank) ?? 0);
}

/**
 * Puts the best memories in the order of the reranking model; the others follow as they were, and what exceeds the limit is left out.
 * If the model fails, the order stays, and `reranking` says why; it is null when the request does not ask for it.
 */
export async function rerankMemories(
  services: Services,
  scope: Scope,
  { request, found }: { request: SearchMemoriesRequest; found: MemorySearchResult },
): Promise<{ result: MemorySearchResult; reranking: Reranking | null }> {
  const { query, limit, rerank } = request;
  const depth = rerankDepthOf(rerank);
  const { rows, details } = found;
  const unchanged = { rows: rows.slice(0, limit), details };
  if (depth === null) return { result: unchanged, reranking: null };
  const best = rows.slice(0, depth);
  const passages = best.map(({ memory }) => memory);
  const outcome = await rerankPassages(services, { query, passages, share: scope.workspaceId });
  if (!('scores' in outcome)) return { result: unchanged, reranking: { reranked: false, not_reranked: outcome } };
  const { scores } = outcome;
  // Stable: memories with equal scores stay in the order of the search.
  const places = [...best.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const ordered = [...places.flatMap((place) => best[place] ?? []), ...rows.slice(depth)];
  const result = { rows: ordered.slice(0, limit), details: { ...details, steps: [...details.steps, 'rerank'] } };
  return { result, reranking: { reranked: true } };
}
