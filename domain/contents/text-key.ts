import { createHash } from 'node:crypto';

/** Goes up when readers make other texts of the same files: kept ones are read anew then. */
const READERS_VERSION = 1;

/** What a text was made of: one of the same key would come out the same. */
export function textKey(source: {
  content_hash: string | null;
  type: string | null;
  reader: string;
  main_text: boolean;
}): string {
  const { content_hash, type, reader, main_text } = source;
  return createHash('sha256')
    .update(JSON.stringify([READERS_VERSION, content_hash, type, reader, main_text]))
    .digest('hex');
}
