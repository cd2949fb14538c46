import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Chunk } from '#domain/records/chunk.ts';
import type { Services } from '#operations/services.ts';
import { fetchEmbeddings, toChunk } from './present-chunk.ts';

/** A published chunk in reach. @throws AppError `not_found`, `dependency_unavailable` when its vector cannot be had. */
export async function getChunk(
  services: Services,
  caller: Caller,
  request: { chunkId: string; includeEmbedding: boolean },
): Promise<Chunk> {
  const [row] = await services.stores.chunks.findPublished(caller.scope, [request.chunkId]);
  if (!row) throw new AppError('not_found', 'There is no such chunk, or this key does not reach it.');
  services.accesses.note(caller.scope, row.content_id);
  const vectors = request.includeEmbedding ? await fetchEmbeddings(services, caller, [row]) : null;
  return toChunk(row, vectors?.get(row.id) ?? null);
}
