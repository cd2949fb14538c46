import { addAbortSignal, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ContentText } from '#operations/contents/content-text.ts';
import { cutText } from './max-tokens.ts';
import type { InTurn } from './read-in-turn.ts';
import { decodeTextCursor, encodeTextCursor, foreignPlace, type TextPlace } from './text-cursor.ts';

/** To get to an offset in a text, all before it is read. Further on than this, in code units, readers take turns. */
const NEAR_CODE_UNITS = 1024 * 1024;
/** A token is estimated from three bytes, a code unit has at most three, and a character at most four. */
const [BYTES_OF_TOKEN, MAX_BYTES_OF_CODE_UNIT, MAX_BYTES_OF_CHARACTER] = [3, 3, 4];

type AskedPage = {
  /** `nextCursor` of the previous page, which goes straight to its place; or else an offset in UTF-16 code units. */
  cursor?: string | undefined;
  offset: number;
  maxTokens: number;
  signal: AbortSignal;
  inTurn: InTurn;
};

/** A part of a text that starts at `offset`, in UTF-16 code units. `nextCursor`: where it goes on; null at the end. */
export type TextPage = { text: string; offset: number; nextCursor: string | null };

/**
 * Reads a part of a text that has at most `maxTokens`. Holds no more than that in memory.
 * @throws what `open` throws; AppError `validation_failed` or `conflict` for the cursor; the reason of the signal
 */
export async function readTextPage(text: ContentText, asked: AskedPage): Promise<TextPage> {
  const { cursor, maxTokens, signal } = asked;
  const place = cursor === undefined ? await findPlace(text, asked) : decodeTextCursor(text.sha256, cursor);
  // More than fits, so that the end of the text is known, even if its last character is cut.
  const end = place.byte + BYTES_OF_TOKEN * maxTokens + MAX_BYTES_OF_CHARACTER;
  const stream = await text.open({ start: place.byte, end });
  const bytes = Buffer.concat(await addAbortSignal(signal, stream).toArray());
  if (cursor !== undefined && !isCharacter(bytes[0])) throw foreignPlace();
  const part = cutText(new StringDecoder('utf8').write(bytes), maxTokens);
  const sizeBytes = Buffer.byteLength(part);
  const next = { byte: place.byte + sizeBytes, character: place.character + part.length };
  const goesOn = sizeBytes < bytes.length;
  return { text: part, offset: place.character, nextCursor: goesOn ? encodeTextCursor(text.sha256, next) : null };
}

/** False at the end of a text, and within a character. */
function isCharacter(first: number | undefined): boolean {
  return first !== undefined && (first & 0xc0) !== 0x80;
}

/** The place of an offset, or of the character that it is within; the end of a text that is shorter. */
async function findPlace(text: ContentText, { offset, signal, inTurn }: AskedPage): Promise<TextPlace> {
  if (offset === 0) return { byte: 0, character: 0 };
  const end = MAX_BYTES_OF_CODE_UNIT * offset + MAX_BYTES_OF_CHARACTER;
  const find = async () => countTo(addAbortSignal(signal, await text.open({ start: 0, end })), offset);
  return offset > NEAR_CODE_UNITS ? inTurn({ limit: 1, isScan: true }, find) : find();
}

async function countTo(stream: Readable, offset: number): Promise<TextPlace> {
  const decoder = new StringDecoder('utf8');
  const place = { byte: 0, character: 0 };
  for await (const piece of stream) {
    // A stream of bytes without an encoding; the decoder keeps the beginning of a character that the next piece completes.
    const text = decoder.write(piece as Buffer);
    const wanted = offset - place.character;
    const before = wanted < text.length ? text.slice(0, startOfCharacter(text, wanted)) : text;
    place.byte += Buffer.byteLength(before);
    place.character += before.length;
    if (before !== text) break;
  }
  return place;
}

/** A character outside of the basic plane has two code units. */
function startOfCharacter(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;
}
