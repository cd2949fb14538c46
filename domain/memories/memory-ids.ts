import { v5 as uuidv5 } from 'uuid';

/** Namespace of the ids of extracted memories: an arbitrary UUID that must never change. */
const EXTRACTED_MEMORY_NAMESPACE = 'a2a5d9f0-6a3c-4f57-9d1c-5f0a4a9c7b21';
/** Namespace of the ids of index objects: an arbitrary UUID that must never change. */
const VERSION_OBJECT_NAMESPACE = '0d3f5f63-9a8e-4a51-8a54-2f3f3b8f9a77';

/** Namespace of the ids of users in receipts: an arbitrary UUID that must never change. */
const USER_NAMESPACE = 'b0c6d9a4-1f59-4a0e-9a75-3a1de1c0a64e';

/** Who creates extracted memories, as `created_by` records it. */
export const MEMORY_EXTRACTION = 'memory-extraction';

/**
 * Returns the id of the `index`-th memory extracted from a message. It is deterministic, so a repeated extraction adds nothing.
 */
export function extractedMemoryId(messageId: string, index: number): string {
  return uuidv5(`${messageId}/${index}`, EXTRACTED_MEMORY_NAMESPACE);
}

/**
 * Returns the id of the index object of one version of a memory. It is deterministic, so writes are idempotent, and no version
 * overwrites the object of another.
 */
export function memoryObjectId(memoryId: string, version: number): string {
  return uuidv5(`${memoryId}/${version}`, VERSION_OBJECT_NAMESPACE);
}

/** Returns the id of a user in the receipt of a deletion. */
export function userSubjectId(workspaceId: string, userId: string): string {
  return uuidv5(`${workspaceId}/${userId}`, USER_NAMESPACE);
}
