import { v5 as uuidv5 } from 'uuid';

/** Namespace of chunk ids; any UUID, fixed for ever. */
const NAMESPACE = '6a1c3c0e-52a1-4c0e-9b5a-0c7b8f0f7f11';

/** The id of a chunk: the same run of the same content gives the same ids, so that writing twice is writing once. */
export function chunkId(chunk: { collectionId: string; contentId: string; version: number; index: number }): string {
  return uuidv5(`${chunk.collectionId}/${chunk.contentId}/${chunk.version}/${chunk.index}`, NAMESPACE);
}
