import { v5 as uuidv5 } from 'uuid';

/** Namespace of chunk ids: an arbitrary UUID that must never change. */
const NAMESPACE = '6a1c3c0e-52a1-4c0e-9b5a-0c7b8f0f7f11';

/**
 * Returns the id of a chunk. The same version of a content always gives the same ids, so that writing a chunk twice is
 * idempotent.
 */
export function chunkId(chunk: { collectionId: string; contentId: string; version: number; index: number }): string {
  return uuidv5(`${chunk.collectionId}/${chunk.contentId}/${chunk.version}/${chunk.index}`, NAMESPACE);
}
