import { v5 as uuidv5 } from 'uuid';

/** Namespace of the ids of extracted memories; any UUID, fixed for ever. */
const NAMESPACE = 'a2a5d9f0-6a3c-4f57-9d1c-5f0a4a9c7b21';

/** The id of what was extracted from a message, in its order: extracting twice is extracting once. */
export function extractedMemoryId(messageId: string, index: number): string {
  return uuidv5(`${messageId}/${index}`, NAMESPACE);
}
