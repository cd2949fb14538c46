import { AppError } from '#domain/app-error.ts';
import { FOLLOWED_HITS, liftFollowers } from '#domain/memories/lift-followers.ts';
import { memoryFilter, memoryTenant, serializeSpace } from '#domain/memories/memory-index.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { MemoryRow } from '#store/memories/memory-row.ts';
import { embedQuery } from '#operations/search/embed-query.ts';
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

/** A memory that was found; higher scores are better within one result. */
export type MemoryHit = { row: MemoryRow; score: number };

/** Returns the rows of `searchMemoryHits`. */
export async function searchMemoryIndex(
  services: Services,
  scope: Scope,
  query: MemoryIndexQuery,
): Promise<MemoryRow[]> {
  return (await searchMemoryHits(services, scope, query)).map(({ row }) => row);
}

/**
 * Returns the best matching memories, best first. The index ranks; Postgres decides which versions are valid and whose they are,
 * and provides their text. A hybrid search lifts memories that follow another hit in a conversation.
 * @throws AppError `dependency_unavailable` when the index or Postgres is unavailable, rather than an empty result.
 */
export async function searchMemoryHits(
  services: Services,
  scope: Scope,
  query: MemoryIndexQuery,
): Promise<MemoryHit[]> {
  if (query.type !== 'hybrid') return rankMemories(services, scope, query);
  const hits = await rankMemories(services, scope, { ...query, limit: Math.max(query.limit, FOLLOWED_HITS) });
  const ids = hits.map(({ row }) => row.memory_id);
  const previous = await services.stores.memories.findPrevious(scope, ids.slice(0, FOLLOWED_HITS));
  const followed = hits.map((hit) => {
    const id = hit.row.memory_id;
    return { ...hit, id, previousId: previous.get(id) ?? null };
  });
  const lifted = liftFollowers(followed.slice(0, FOLLOWED_HITS));
  return [...lifted, ...followed.slice(FOLLOWED_HITS)].slice(0, query.limit);
}

async function rankMemories(services: Services, scope: Scope, query: MemoryIndexQuery): Promise<MemoryHit[]> {
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
      return hits.flatMap((hit) => {
        const row = byObject.get(hit.id);
        return row ? [{ row, hit, score: hit.score }] : [];
      });
    },
    // A memory is one object: what replaces it never fills a limit.
    findUnpublished: async () => [],
    requireIndexExists: () => requireIndexExists(services, scope),
  });
}

/** Returns the vector of what is searched for; null for a search by words. */
export async function embedSearch(
  services: Services,
  { workspaceId }: Scope,
  { query, type, signal }: Pick<MemorySearch, 'query' | 'type' | 'signal'>,
): Promise<Float32Array | null> {
  if (type === 'keyword') return null;
  const { space } = services.embedders.preferred;
  return embedQuery(services, space, { text: query, share: workspaceId, signal });
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
  await memoryProjections.markFirstUnindexed(scope, serializeSpace(space));
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
  /** Aborted when nobody waits for the result any more. */
  signal?: AbortSignal | undefined;
};
