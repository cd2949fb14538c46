import type { Schemas } from '../../api/schemas.ts';

/** A part of the text: a chunk, or what no chunk contains. */
export type TextPiece = { start: number; text: string; chunk: Schemas['ContentChunk'] | null };

/** A part of a text that starts at `start`, with the chunks in it. `shownTo`: what is before was shown already. */
export type TextPart = {
  start: number;
  text: string;
  chunks: readonly Schemas['ContentChunk'][];
  shownTo: number;
};

/**
 * Divides a part of a text into its chunks and what is between them. A chunk that begins within the one before, as overlapping ones
 * do, is shown from its own beginning.
 */
export function textPieces({ start: partStart, text, chunks, shownTo: before }: TextPart): TextPiece[] {
  const pieces: TextPiece[] = [];
  let shownTo = before;
  const between = (to: number) => {
    const piece = text.slice(shownTo - partStart, to - partStart);
    if (to > shownTo && piece.trim() !== '') pieces.push({ start: shownTo, text: piece, chunk: null });
  };
  for (const chunk of chunks) {
    const { start, end } = chunk.meta_data;
    between(start);
    pieces.push({ start, text: text.slice(start - partStart, end - partStart), chunk });
    shownTo = Math.max(shownTo, end);
  }
  between(partStart + text.length);
  return pieces;
}
