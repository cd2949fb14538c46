import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import iconv from 'iconv-lite';
import type { ReadInput } from '#domain/reader.ts';
import { guessCharset } from './guess-charset.ts';
import { outputLimitError } from './text-builder.ts';

export type DecodedText = {
  text: string;
  /** Name of the encoding in lower case, e.g. `utf-8`, `windows-1252`. */
  charset: string;
};

/** Byte order marks, longer ones first, because that of UTF-16 is the beginning of that of UTF-32. */
const BYTE_ORDER_MARKS: readonly (readonly [charset: string, mark: readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const SAMPLE_BYTES = 32 * 1024;
/** Largest ratio of the size of a file to the size of its text in UTF-8, over all encodings. */
const MAX_ENCODING_RATIO = 4;

/** Reads a whole text file. @throws AppError `read_output_limit` before reading a file that cannot fit. */
export async function readTextFile(
  { path, bytes }: Pick<ReadInput, 'path' | 'bytes'>,
  maxTextBytes: number,
): Promise<DecodedText> {
  const sizeBytes = bytes?.length ?? (await stat(path)).size;
  if (sizeBytes > maxTextBytes * MAX_ENCODING_RATIO) throw outputLimitError(maxTextBytes);
  return decodeText(bytes ?? (await readFile(path)));
}

/**
 * Decodes bytes of unknown encoding by, in this order: byte order mark, valid UTF-8, the charset that the document
 * declares (as in HTML's `<meta charset>`), statistics over a sample around the first bytes that are not ASCII.
 */
export function decodeText(bytes: Uint8Array, declaredCharset?: string): DecodedText {
  const charset = charsetOf(bytes, declaredCharset);
  if (charset === 'utf-8') return { text: new TextDecoder().decode(bytes), charset };
  return { text: iconv.decode(bytes, charset), charset };
}

/** The encoding of the byte order mark; null without one. */
export function charsetOfByteOrderMark(bytes: Uint8Array): string | null {
  const found = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return found ? found[0] : null;
}

/** `utf-16le` or `utf-16be` when every other byte of a sample of Western text is zero; else null. */
export function detectUtf16WithoutMark(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 2048);
  if (sample.length < 4) return null;
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const half = sample.length / 2;
  const [even = 0, odd = 0] = zeros;
  if (odd > half * 0.7 && even < half * 0.05) return 'utf-16le';
  if (even > half * 0.7 && odd < half * 0.05) return 'utf-16be';
  return null;
}

function charsetOf(bytes: Uint8Array, declared: string | undefined): string {
  const certain = charsetOfByteOrderMark(bytes) ?? detectUtf16WithoutMark(bytes);
  if (certain) return certain;
  if (isUtf8(bytes)) return 'utf-8';
  if (declared && iconv.encodingExists(declared)) return declared.toLowerCase();
  const guessed = guessCharset(sampleOf(bytes)) ?? 'windows-1252';
  // Like web browsers, read Latin-1 as its superset, which adds typographic quotes and dashes.
  if (guessed === 'iso-8859-1' || guessed === 'ascii' || !iconv.encodingExists(guessed)) return 'windows-1252';
  return guessed;
}

function sampleOf(bytes: Uint8Array): Uint8Array {
  const firstHigh = bytes.findIndex((byte) => byte >= 0x80);
  const start = Math.max(0, firstHigh - SAMPLE_BYTES / 2);
  return bytes.subarray(start, start + SAMPLE_BYTES);
}
