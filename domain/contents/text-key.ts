import { createHash } from 'node:crypto';

/** Increase this when readers extract different text from the same files, so that files are read again. */
const READERS_VERSION = 8;

/** Returns the key of an extracted text: sources with equal keys have the same text. */
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
