import type { Readable } from 'node:stream';
import { cutText } from './max-tokens.ts';

/** A part of a text. `nextOffset`: where the next one starts; null at the end. */
export type TextPage = { text: string; nextOffset: number | null };

/**
 * Reads the part of a text that starts at `offset`, in UTF-16 code units, and has at most `maxTokens`. Holds no more than that in
 * memory, and reads nothing behind it.
 */
export async function readTextPage(
  stream: Readable,
  { offset, maxTokens }: { offset: number; maxTokens: number },
): Promise<TextPage> {
  // A character has at least a third of a token; one more says whether the text goes on.
  const wanted = 3 * maxTokens + 1;
  let skipped = 0;
  let found = '';
  for await (const piece of stream.setEncoding('utf8')) {
    const text = String(piece);
    const from = Math.min(text.length, offset - skipped);
    skipped += from;
    found += text.slice(from, from + wanted - found.length);
    if (found.length >= wanted) break;
  }
  const text = cutText(found, maxTokens);
  return { text: text.toWellFormed(), nextOffset: text.length < found.length ? offset + text.length : null };
}
