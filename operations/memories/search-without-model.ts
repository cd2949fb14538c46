import { memoryTenant } from '#domain/memories/memory-index.ts';
import { REGULARIZED_HITS, regularizationStrength, regularizeScores } from '#domain/search/regularize-scores.ts';
import type { Scope } from '#domain/access/scope.ts';
import {
  embedSearch,
  searchMemoryHits,
  type MemoryHit,
  type MemorySearch,
  type MemorySearchResult,
} from './search-memory-index.ts';
import type { Services } from '#operations/services.ts';

/**
 * How far the scores of each search move towards those of similar hits. Those of a hybrid search already have what they gain:
 * further feedback was measured to lose where it helps elsewhere.
 */
const STRENGTH = { keyword: 1, vector: 0.7, hybrid: 0 } as const;

/**
 * Searches as the agentic methods do without a chat model: once, with the first hits ordered by similar ones, and short queries as
 * they are. Never worse than the plain search on any set that was measured.
 */
export async function searchWithoutModel(
  services: Services,
  scope: Scope,
  search: MemorySearch,
): Promise<MemorySearchResult> {
  const { query, type, limit } = search;
  const strength = STRENGTH[type] * regularizationStrength(query);
  const vector = await embedSearch(services, scope, search);
  const depth = strength > 0 ? Math.max(limit, REGULARIZED_HITS) : limit;
  const hits = await searchMemoryHits(services, scope, { ...search, text: query, vector, limit: depth });
  const ordered = strength > 0 ? await orderBySimilarHits(services, scope, { hits, strength }) : hits;
  const steps = strength > 0 ? [type, 'similar_hits'] : [type];
  const rows = ordered.slice(0, limit).map(({ row }) => row);
  return { rows, details: { steps, model: null, queries: [query], note: null } };
}

async function orderBySimilarHits(
  services: Services,
  scope: Scope,
  { hits, strength }: { hits: readonly MemoryHit[]; strength: number },
): Promise<MemoryHit[]> {
  const { space } = services.embedders.preferred;
  const first = hits.slice(0, REGULARIZED_HITS);
  const ids = first.map(({ row }) => row.object_id);
  const vectors = await services.vectors.fetchVectors(space, memoryTenant(scope.workspaceId), ids);
  const scored = first.map((hit) => ({ ...hit, vector: vectors.get(hit.row.object_id) ?? NO_VECTOR }));
  const scores = regularizeScores(scored, strength);
  const ordered = scored.map(({ row, score }, place) => ({ row, score: scores[place] ?? score }));
  return [...ordered.toSorted((a, b) => b.score - a.score), ...hits.slice(REGULARIZED_HITS)];
}

/** Of an object that was deleted since it was found: similar to nothing. */
const NO_VECTOR: readonly number[] = [];
