import type { MemoryWriteResult } from '#operations/memories/create-memory.ts';
import { Reply } from '#api/http/response/reply.ts';

/** Returns the response of a write, with the header `Loci-Indexing: pending` when search does not find the version yet. */
export function memoryWriteReply<Body>({ status, body, isIndexed }: MemoryWriteResult<Body>): Reply<Body> {
  return Reply.json(body, { status, headers: isIndexed ? {} : { 'Loci-Indexing': 'pending' } });
}

/** Part of the descriptions of write operations. */
export const INDEXING_NOTE =
  'Search finds the memory when the response arrives. If the response has the header `Loci-Indexing: pending`, the memory is ' +
  'stored, and search finds it as soon as the index is available again.';
