import { memoryTenant } from '#domain/memories/memory-index.ts';
import { RELEVANCE_FEEDBACK_HITS, feedbackQuery, feedbackVector } from '#domain/search/relevance-feedback.ts';
import type { Scope } from '#domain/access/scope.ts';
import { embedQuery, searchMemoryIndex, type MemorySearchResult, type MemorySearch } from './search-memory-index.ts';
import type { Services } from '#operations/services.ts';

/**
 * Searches, expands the query with what the best hits have in common (words, and the vector is moved towards theirs), and
 * searches again.
 */
export async function searchWithFeedback(
  services: Services,
  scope: Scope,
  search: MemorySearch,
): Promise<MemorySearchResult> {
  const { query, type } = search;
  const vector = type === 'keyword' ? null : await embedQuery(services, query);
  const first = await searchMemoryIndex(services, scope, { ...search, text: query, vector });
  const best = first.slice(0, RELEVANCE_FEEDBACK_HITS);
  if (best.length < 2) return { rows: first, details: { steps: [type], model: null, queries: [query], note: null } };
  const texts = best.map((row) => row.memory);
  const text = type === 'vector' ? query : feedbackQuery(query, texts);
  const objectIds = best.map((row) => row.object_id);
  const movedVector = vector && feedbackVector(vector, await fetchVectors(services, scope, objectIds));
  const rows = await searchMemoryIndex(services, scope, { ...search, text, vector: movedVector });
  return { rows, details: { steps: [type, 'relevance_feedback'], model: null, queries: [query], note: null } };
}

async function fetchVectors(services: Services, scope: Scope, objectIds: readonly string[]): Promise<number[][]> {
  const { space } = services.embedders.preferred;
  const vectors = await services.vectors.fetchVectors(space, memoryTenant(scope.workspaceId), objectIds);
  return [...vectors.values()];
}
