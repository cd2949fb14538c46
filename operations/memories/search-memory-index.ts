import { AppError } from '#domain/app-error.ts';
import { memoryFilter, memoryTenant, serializeSpace } from '#domain/memories/memory-index.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { MemoryRow } from '#store/memories/memories.ts';
import { findVerifiedHits } from '#operations/search/verified-hits.ts';
import type { Services } from '#operations/services.ts';
import type { RetrievalDetails } from '#domain/records/memory.ts';

/** One query of the memory index. */
type MemoryIndexQuery = {
  type: SearchType;
  text: string;
  /** Null only for `keyword`. */
  vector: Float32Array | null;
  /** Null: memories of all users. */
  userId: string | null;
  /** Null: versions that are valid now. */
  asOf: Date | null;
  limit: number;
};

/**
 * Returns the best matching memories, best first. The index ranks; Postgres decides which versions are valid and whose they are,
 * and provides their text.
 * @throws AppError `dependency_unavailable` when the index or Postgres is unavailable, rather than an empty result.
 */
export async function searchMemoryIndex(
  services: Services,
  scope: Scope,
  query: MemoryIndexQuery,
): Promise<MemoryRow[]> {
  const { userId, asOf } = query;
  const { space } = services.embedders.preferred;
  return findVerifiedHits({
    limit: query.limit,
    searchIndex: (limit) =>
      services.vectors.search(space, memoryTenant(scope.workspaceId), {
        type: query.type,
        queryText: query.text,
        queryVector: query.vector,
        filter: memoryFilter({ userId, asOf }),
        limit,
      }),
    verify: async (hits) => {
      const ids = hits.map((hit) => hit.id);
      const rows = await services.stores.memories.findByObjectIds(scope, { userId, asOf }, ids);
      const byObject = new Map(rows.map((row) => [row.object_id, row]));
      return ids.flatMap((id) => byObject.get(id) ?? []);
    },
    requireIndexExists: () => requireIndexExists(services, scope),
  });
}

/** Returns the vector of a search text. */
export async function embedQuery(services: Services, text: string): Promise<Float32Array> {
  const [vector] = await services.embedders.preferred.embed([text], 'query');
  if (!vector) throw new AppError('internal', 'The embedder returned no vector.');
  return vector;
}

/**
 * Requires that the tenant exists if memories were indexed. A Weaviate that lost its data returns no hits instead of an error;
 * then the memories are marked for indexing again.
 * @throws AppError `dependency_unavailable` when the index was lost.
 */
async function requireIndexExists(services: Services, scope: Scope): Promise<void> {
  const { memoryProjections } = services.stores;
  if (!(await memoryProjections.hasIndexedVersions(scope))) return;
  const { space } = services.embedders.preferred;
  if (await services.vectors.tenantExists(space, memoryTenant(scope.workspaceId))) return;
  await memoryProjections.markUnindexed(scope, serializeSpace(space));
  throw new AppError('dependency_unavailable', 'The search index of memories was lost and is being rebuilt.', {
    retryAfterS: 30,
  });
}

/** Memories in their order, and how they were found. */
export type MemorySearchResult = { rows: MemoryRow[]; details: RetrievalDetails };

/** A search without the words that it is done with. */
export type MemorySearch = {
  query: string;
  type: SearchType;
  userId: string | null;
  asOf: Date | null;
  limit: number;
};
