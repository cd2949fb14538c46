import { AppError } from '#domain/app-error.ts';
import { memoryFilter, memoryTenant, serializeSpace } from '#domain/memories/memory-index.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { MemoryRow } from '#store/memories/memories.ts';
import { findVerifiedHits } from '#operations/search/verified-hits.ts';
import type { Services } from '#operations/services.ts';
import type { RetrievalDetails } from '#domain/records/memory.ts';

/** What is searched for, and among what. */
export type MemoryIndexQuery = {
  type: SearchType;
  text: string;
  /** Null only for `keyword`. */
  vector: Float32Array | null;
  /** Null: of all users. */
  userId: string | null;
  /** Null: as it is now. */
  asOf: Date | null;
  limit: number;
};

/**
 * Returns the best memories, best first. Weaviate ranks; Postgres decides which hits are valid and whose they are, and its
 * rows are what is returned.
 * @throws AppError `dependency_unavailable` when Weaviate or Postgres is unavailable, never an empty answer.
 */
export async function searchMemoryIndex(
  services: Services,
  scope: Scope,
  question: MemoryIndexQuery,
): Promise<MemoryRow[]> {
  const { userId, asOf } = question;
  const { space } = services.embedders.preferred;
  return findVerifiedHits({
    limit: question.limit,
    searchIndex: (limit) =>
      services.vectors.search(space, memoryTenant(scope.workspaceId), {
        type: question.type,
        queryText: question.text,
        queryVector: question.vector,
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

/** The vector of a text that is searched for. */
export async function embedQuery(services: Services, text: string): Promise<Float32Array> {
  const [vector] = await services.embedders.preferred.embed([text], 'query');
  if (!vector) throw new AppError('internal', 'The embedder gave no vector.');
  return vector;
}

/** A Weaviate that lost its data answers, too: with nothing. Then everything is written anew, and this says so. */
async function requireIndexExists(services: Services, scope: Scope): Promise<void> {
  const { memoryProjections } = services.stores;
  if (!(await memoryProjections.hasIndexedVersions(scope))) return;
  const { space } = services.embedders.preferred;
  if (await services.vectors.tenantExists(space, memoryTenant(scope.workspaceId))) return;
  await memoryProjections.markUnindexed(scope, serializeSpace(space));
  throw new AppError('dependency_unavailable', 'The search index of memories was lost and is being made anew.', {
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
