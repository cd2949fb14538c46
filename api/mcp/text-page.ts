import { addAbortSignal, type Readable } from 'node:stream';
import type { InTurn } from './read-in-turn.ts';
import { cutText } from './max-tokens.ts';

/** To get to a place in a text, all before it is read. Further on than this, in characters, readers take turns. */
const NEAR_CHARACTERS = 1024 * 1024;

type AskedPart = { offset: number; maxTokens: number; signal: AbortSignal; inTurn: InTurn };

/** A part of a text. `nextOffset`: where the next one starts; null at the end. */
export type TextPage = { text: string; nextOffset: number | null };

/**
 * Reads the part of a text that starts at `offset`, in UTF-16 code units, and has at most `maxTokens`. Holds no more than that in
 * memory, and reads nothing behind it.
 * @throws what `open` throws; the reason of the signal
 */
export async function readTextPage(open: () => Promise<Readable>, part: AskedPart): Promise<TextPage> {
  const read = async () => readPart(await open(), part);
  return part.offset > NEAR_CHARACTERS ? part.inTurn({ limit: 1, isScan: true }, read) : read();
}

async function readPart(stream: Readable, { offset, maxTokens, signal }: AskedPart): Promise<TextPage> {
  // A character has at least a third of a token; one more says whether the text goes on.
  const wanted = 3 * maxTokens + 1;
  let skipped = 0;
  let found = '';
  for await (const piece of addAbortSignal(signal, stream.setEncoding('utf8'))) {
    const text = String(piece);
    const from = Math.min(text.length, offset - skipped);
    skipped += from;
    found += text.slice(from, from + wanted - found.length);
    if (found.length >= wanted) break;
  }
  const text = cutText(found, maxTokens);
  return { text: text.toWellFormed(), nextOffset: text.length < found.length ? offset + text.length : null };
}
