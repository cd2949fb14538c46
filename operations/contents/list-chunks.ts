import { z } from 'zod';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { ChunkPage } from '#domain/records/chunk.ts';
import { paginate } from '#operations/paging.ts';
import type { Services } from '#operations/services.ts';
import { fetchEmbeddings, toChunk } from './present-chunk.ts';

export type ListChunksQuery = {
  collection_id?: string | undefined;
  content_id?: string | undefined;
  cursor?: string | undefined;
  limit: number;
  include_embedding: boolean;
};

/**
 * A page of the published chunks in reach, in publication order: what is published during a walk comes behind it, so
 * nothing is skipped or shown twice.
 * @throws AppError `validation_failed` for a foreign cursor, `dependency_unavailable` when vectors cannot be had.
 */
export async function listChunks(services: Services, caller: Caller, query: ListChunksQuery): Promise<ChunkPage> {
  const filter = { collectionId: query.collection_id, contentId: query.content_id };
  const binding = { list: 'chunks', filters: filter };
  const position = decodePosition(binding, query.cursor, z.tuple([z.int(), z.int32()]));
  const after = position && { publishSeq: position[0], chunkIndex: position[1] };
  const { chunks } = services.stores;
  const [rows, totalCount] = await Promise.all([
    chunks.listPublished(caller.scope, filter, { after, limit: query.limit }),
    chunks.countPublished(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    limit: query.limit,
    binding,
    positionOf: (row) => [row.publish_seq, row.chunk_index],
  });
  const vectors = query.include_embedding ? await fetchEmbeddings(services, caller, page) : null;
  for (const contentId of new Set(page.map((row) => row.content_id))) services.accesses.note(caller.scope, contentId);
  return {
    chunks: page.map((row) => toChunk(row, vectors?.get(row.id) ?? null)),
    total_count: totalCount,
    ...next,
  };
}
