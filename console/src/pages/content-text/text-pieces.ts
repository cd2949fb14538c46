import type { Schemas } from '../../api/schemas.ts';

/** A part of the text: a chunk, or what no chunk contains. */
export type TextPiece = { start: number; text: string; chunk: Schemas['ContentChunk'] | null };

/**
 * Divides a text into its chunks and what is between them. A chunk that begins within the one before, as overlapping ones do, is
 * shown from its own beginning.
 */
export function textPieces(text: string, chunks: readonly Schemas['ContentChunk'][], isWhole: boolean): TextPiece[] {
  const pieces: TextPiece[] = [];
  let shownTo = 0;
  for (const chunk of chunks) {
    const { start, end } = chunk.meta_data;
    pushBetween(pieces, { text, from: shownTo, to: start });
    pieces.push({ start, text: text.slice(start, end), chunk });
    shownTo = Math.max(shownTo, end);
  }
  if (isWhole) pushBetween(pieces, { text, from: shownTo, to: text.length });
  return pieces;
}

function pushBetween(pieces: TextPiece[], { text, from, to }: { text: string; from: number; to: number }): void {
  const between = text.slice(from, to);
  if (between.trim() !== '') pieces.push({ start: from, text: between, chunk: null });
}
