import { type MessageFile, namedAttachments, parseEmail } from './parse-email.ts';
import type { ArchiveEntry } from '#providers/readers/shared/archive-entry.ts';

const CHUNK_BYTES = 64 * 1024;

/** Lists the attachments of an e-mail message, in order. @throws AppError `unreadable`, `read_output_limit`. */
export async function* emailAttachments(file: MessageFile, maxTextBytes: number): AsyncGenerator<ArchiveEntry> {
  const email = await parseEmail(file, maxTextBytes);
  for (const { name, attachment } of namedAttachments(email)) {
    const bytes = bytesOf(attachment.content);
    yield { path: name, rawName: name, sizeBytes: bytes.byteLength, refusal: null, open: () => inChunks(bytes) };
  }
}

function bytesOf(content: ArrayBuffer | Uint8Array | string): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}
