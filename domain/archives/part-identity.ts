import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';

/** Namespace of the ids of parts; any UUID, fixed for ever. */
const NAMESPACE = '0b8f6f0e-3c55-4f0c-8f4e-5d1d0a6f2a37';

/** What tells a part of a content from all others, whichever version of the whole holds it. */
export function partKey(holderId: string, key: string): string {
  return createHash('sha256').update(`${holderId}/${key}`).digest('hex');
}

/**
 * The id of a part that is new in this version of the whole: taken twice it is the same content. One that was deleted and comes
 * again with a later version is another, for what is left of the first one may still be on its way out of the index.
 */
export function partId(part: { collectionId: string; holderId: string; version: number; key: string }): string {
  return uuidv5(`${part.collectionId}/${part.holderId}/${part.version}/${part.key}`, NAMESPACE);
}
