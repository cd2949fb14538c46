import { type MessageFile, namedAttachments, parseMessage } from './parse-email.ts';
import type { Part } from '#providers/readers/shared/part.ts';

const BYTES_AT_ONCE = 64 * 1024;

/** What is attached to an e-mail message, in its order. @throws AppError `unreadable`, `read_output_limit`. */
export async function* emailParts(file: MessageFile, maxTextBytes: number): AsyncGenerator<Part> {
  const email = await parseMessage(file, maxTextBytes);
  for (const { name, attachment } of namedAttachments(email)) {
    const bytes = bytesOf(attachment.content);
    yield { path: name, rawName: name, sizeBytes: bytes.byteLength, refusal: null, open: () => inPieces(bytes) };
  }
}

function bytesOf(content: ArrayBuffer | Uint8Array | string): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += BYTES_AT_ONCE)
    yield bytes.subarray(start, start + BYTES_AT_ONCE);
}
