import type { Caller } from '#domain/access/caller.ts';
import type { Chunk } from '#domain/records/chunk.ts';
import type { PublishedChunk } from '#store/contents/chunks.ts';
import type { Services } from '#operations/services.ts';

/** A chunk row as the interface shows it. */
export function toChunk(row: PublishedChunk, embedding: readonly number[] | null): Chunk {
  return {
    id: row.id,
    content_id: row.content_id,
    collection_id: row.collection_id,
    content: row.content,
    metadata: row.metadata,
    chunk_index: row.chunk_index,
    size: row.size,
    created_at: row.created_at,
    embedding: embedding === null ? null : [...embedding],
  };
}

/**
 * Vectors of chunks by chunk id, from the index, one request a collection.
 * @throws AppError `dependency_unavailable` when Weaviate is away.
 */
export async function fetchEmbeddings(
  services: Services,
  caller: Caller,
  chunks: readonly PublishedChunk[],
): Promise<Map<string, number[]>> {
  const byCollection = Map.groupBy(chunks, (chunk) => chunk.collection_id);
  const vectors = new Map<string, number[]>();
  await Promise.all(
    [...byCollection].map(async ([collectionId, ofCollection]) => {
      const found = await services.stores.collections.findIndex(caller.scope, collectionId);
      if (!found) return;
      const ids = ofCollection.map((chunk) => chunk.id);
      const { space, tenant } = found.index;
      for (const [id, vector] of await services.vectors.fetchVectors(space, tenant, ids)) vectors.set(id, [...vector]);
    }),
  );
  return vectors;
}
