import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';

/** Namespace of entry ids: an arbitrary UUID that must never change. */
const NAMESPACE = '0b8f6f0e-3c55-4f0c-8f4e-5d1d0a6f2a37';

/** Identifies an entry among all entries of all contents, independent of the version of its archive. */
export function entryKey(archiveId: string, key: string): string {
  return createHash('sha256').update(`${archiveId}/${key}`).digest('hex');
}

/**
 * The content id of an entry that is new in this version of its archive: saving the entry twice gives the same content. An entry
 * that was deleted and returns in a later version becomes another content, because the first one may still be in the process of
 * being removed from the index.
 */
export function entryId(entry: { collectionId: string; archiveId: string; version: number; key: string }): string {
  return uuidv5(`${entry.collectionId}/${entry.archiveId}/${entry.version}/${entry.key}`, NAMESPACE);
}
