import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import iconv from 'iconv-lite';
import type { ReadInput } from '#domain/reader.ts';
import { guessCharset } from './charset/guess-charset.ts';
import { charsetOfLabel } from './charset/charset-label.ts';
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
const CHUNK_BYTES = 1024 * 1024;
/** Escape sequence for ideographs. */
const ISO_2022_JP = Buffer.from([0x1b, 0x24, 0x42]);
/** What a decoder writes for bytes that are no character. */
const DAMAGED = 0xfffd;
/** Of text in other encodings, hardly any character is one of UTF-8 by chance. */
const MAX_DAMAGED_SHARE = 0.25;
/** Largest ratio of the size of a file to the size of its text in UTF-8, over all encodings. */
const MAX_ENCODING_RATIO = 4;

/**
 * Reads a whole text file; `declaredCharset` finds the encoding that the document itself names.
 * @throws AppError `read_output_limit` before reading a file that cannot fit.
 */
export async function readTextFile(
  { path, bytes }: Pick<ReadInput, 'path' | 'bytes'>,
  maxTextBytes: number,
  declaredCharset: (bytes: Uint8Array) => string | undefined = () => undefined,
): Promise<DecodedText> {
  const sizeBytes = bytes?.length ?? (await stat(path)).size;
  if (sizeBytes > maxTextBytes * MAX_ENCODING_RATIO) throw outputLimitError(maxTextBytes);
  const read = bytes ?? (await readFile(path));
  return decodeText(read, declaredCharset(read));
}

/**
 * Decodes bytes of unknown encoding by, in this order: byte order mark, UTF-8 (a few damaged characters do not make it another
 * encoding), the charset that the document declares (as in HTML's `<meta charset>`), statistics over a sample around the first
 * bytes that are not ASCII. A document that declares UTF-8 and is none was saved in another encoding, so its declaration says nothing.
 */
export function decodeText(bytes: Uint8Array, declaredCharset?: string): DecodedText {
  const charset = certainCharset(bytes);
  if (charset !== null) return { text: decodeBytes(bytes, charset), charset };
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes) || countUtf8(text).isMostly) return { text, charset: 'utf-8' };
  const declared = charsetOfLabel(declaredCharset);
  const found = declared === null || declared === 'utf-8' ? guessCharset(sampleOf(bytes)) : declared;
  return { text: decodeBytes(bytes, found), charset: found };
}

/** Decodes bytes of this encoding, without a byte order mark. */
export function decodeBytes(bytes: Uint8Array, charset: string): string {
  if (charset === 'utf-8' || !iconv.encodingExists(charset)) return new TextDecoder(charset).decode(bytes);
  return iconv.decode(bytes, charset);
}

/** A stream that decodes bytes of this encoding. */
export function decodeStream(charset: string): NodeJS.ReadWriteStream {
  if (iconv.encodingExists(charset)) return iconv.decodeStream(charset);
  const decoder = new TextDecoder(charset);
  return new Transform({
    encoding: 'utf8',
    transform: (bytes: Uint8Array, _encoding, done) => done(null, decoder.decode(bytes, { stream: true })),
    flush: (done) => done(null, decoder.decode()),
  });
}

/** The encoding of a file that is too large to be in memory, by all of its bytes, as `decodeText` finds it. */
export async function charsetOfFile(path: string): Promise<string> {
  const decoder = new TextDecoder();
  let sample: Uint8Array | null = null;
  let [good, bad, isFirst] = [0, 0, true];
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes: Uint8Array = chunk;
    const certain = isFirst ? certainCharset(bytes) : null;
    if (certain !== null) return certain;
    isFirst = false;
    // A character begun in one chunk ends with bytes beyond ASCII in the next one.
    if (isAscii(bytes)) continue;
    sample ??= sampleOf(bytes);
    const counts = countUtf8(decoder.decode(bytes, { stream: true }));
    [good, bad] = [good + counts.good, bad + counts.bad];
  }
  return sample === null || bad <= good * MAX_DAMAGED_SHARE ? 'utf-8' : guessCharset(sample);
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

/** The encoding that a mark at the beginning, or the form of the bytes, leaves no doubt about. */
function certainCharset(bytes: Uint8Array): string | null {
  const isJapanese = (): boolean => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ISO_2022_JP);
  return charsetOfByteOrderMark(bytes) ?? detectUtf16WithoutMark(bytes) ?? (isJapanese() ? 'iso-2022-jp' : null);
}

/** Characters beyond ASCII of a text decoded as UTF-8, and damaged ones. The last character may have been cut off. */
function countUtf8(text: string): { good: number; bad: number; isMostly: boolean } {
  let [good, bad] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DAMAGED) bad += at === text.length - 1 ? 0 : 1;
    else if (code >= 0x80) good += 1;
  }
  return { good, bad, isMostly: good > 0 && bad <= good * MAX_DAMAGED_SHARE };
}

function sampleOf(bytes: Uint8Array): Uint8Array {
  const firstHigh = bytes.findIndex((byte) => byte >= 0x80);
  const start = Math.max(0, firstHigh - SAMPLE_BYTES / 2);
  return bytes.subarray(start, start + SAMPLE_BYTES);
}
