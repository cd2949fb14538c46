import { AppError } from '#domain/app-error.ts';
import { memoryFilter, memoryTenant, serializeSpace } from '#domain/memories/memory-index.ts';
import type { SearchType } from '#domain/records/search.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { MemoryRow } from '#store/memories/memories.ts';
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

/** Most objects asked of the index for one answer, however many of them verification drops. */
const MAX_LIMIT = 1_000;
const MAX_ROUNDS = 2;

/**
 * The best memories in their order: the index ranks, Postgres has the last word on what is valid and whose it is, and what it
 * says is what is shown. When it drops hits, the index is asked once more for as many as it takes.
 * @throws AppError `dependency_unavailable` when index or database is away: never an empty answer then.
 */
export async function searchMemoryIndex(
  services: Services,
  scope: Scope,
  question: MemoryIndexQuery,
): Promise<MemoryRow[]> {
  const { userId, asOf } = question;
  const { space } = services.embedders.preferred;
  let { limit } = question;
  for (let round = 1; ; round += 1) {
    const hits = await services.vectors.search(space, memoryTenant(scope.workspaceId), {
      type: question.type,
      queryText: question.text,
      queryVector: question.vector,
      filter: memoryFilter({ userId, asOf }),
      limit,
    });
    if (hits.length === 0) {
      await requireIndexExists(services, scope);
      return [];
    }
    const ids = hits.map((hit) => hit.id);
    const rows = await services.stores.memories.findByObjectIds(scope, { userId, asOf }, ids);
    const byObject = new Map(rows.map((row) => [row.object_id, row]));
    const found = ids.flatMap((id) => byObject.get(id) ?? []);
    const isFull = found.length >= question.limit || hits.length < limit;
    if (isFull || round === MAX_ROUNDS) return found.slice(0, question.limit);
    limit = Math.min(MAX_LIMIT, limit + 2 * (limit - found.length) + question.limit);
  }
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
