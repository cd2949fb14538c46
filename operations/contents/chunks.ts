import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { Chunk, ChunkPage } from '#domain/records/chunk.ts';
import type { PublishedChunk } from '#store/contents/published-chunks.ts';
import { paginate } from '#operations/paginate.ts';
import { readListPage } from '#operations/read-list-page.ts';
import type { Services } from '#operations/services.ts';

/** Returns a published chunk in scope. @throws AppError `not_found`; `dependency_unavailable` when its vector is unavailable. */
export async function getChunk(
  services: Services,
  caller: Caller,
  request: { chunkId: string; includeEmbedding: boolean },
): Promise<Chunk> {
  const [row] = await services.stores.chunks.findPublished(caller.scope, [request.chunkId]);
  if (!row) throw new AppError('not_found', 'The chunk does not exist, or your credentials do not give access to it.');
  services.accessCounter.record(caller.scope, row.content_id);
  const vectors = request.includeEmbedding ? await fetchEmbeddings(services, caller, [row]) : null;
  return toChunk(row, vectors?.get(row.id) ?? null);
}

export type ListChunksQuery = {
  collection_id?: string | undefined;
  content_id?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  include_embedding: boolean;
};

/**
 * Returns a page of the published chunks in scope, in publication order. Chunks that are published while a client reads the pages
 * come last, so nothing is skipped or repeated.
 * @throws AppError `validation_failed` for a cursor of another list; `dependency_unavailable` when vectors are unavailable.
 */
export async function listChunks(services: Services, caller: Caller, query: ListChunksQuery): Promise<ChunkPage> {
  const filter = { collectionId: query.collection_id, contentId: query.content_id };
  const binding = { list: 'chunks', filters: filter };
  const position = decodePosition(binding, query.cursor, z.tuple([z.int(), z.int32()]));
  const after = position && { publishSeq: position[0], chunkIndex: position[1] };
  const [rows, totalCount] = await readListPage(services.lists, { isFirst: after === null }, ({ chunks }) =>
    Promise.all([
      chunks.listPublished(caller.scope, filter, { after, limit: query.limit }),
      chunks.countPublished(caller.scope, filter),
    ]),
  );
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.publish_seq, row.chunk_index],
  });
  const vectors = query.include_embedding ? await fetchEmbeddings(services, caller, page) : null;
  for (const contentId of new Set(page.map((row) => row.content_id)))
    services.accessCounter.record(caller.scope, contentId);
  return {
    chunks: page.map((row) => toChunk(row, vectors?.get(row.id) ?? null)),
    total_count: totalCount,
    ...next,
  };
}

/** Converts a row to the record of the API. */
function toChunk(row: PublishedChunk, embedding: readonly number[] | null): Chunk {
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
 * Returns the vectors of chunks by chunk id, with one request to the index per collection.
 * @throws AppError `dependency_unavailable` when Weaviate is unavailable.
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
