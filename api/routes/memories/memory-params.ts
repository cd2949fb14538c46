import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import type { MemoryWriteResult } from '#operations/memories/create-memory.ts';
import { Reply } from '#api/http/response/reply.ts';

export const MemoryParams = z.object({ memory_id: Id });

/** An answer to a write, which says so when search does not find it yet. */
export function memoryWriteReply<Body>({ status, body, isIndexed }: MemoryWriteResult<Body>): Reply<Body> {
  return Reply.json(body, { status, headers: isIndexed ? {} : { 'Loci-Indexing': 'pending' } });
}

/** For the descriptions of writes. */
export const INDEXING_NOTE =
  'Search finds it when this answers. With the header `Loci-Indexing: pending` it is stored, and search finds it as soon as the index is back.';
