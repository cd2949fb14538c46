import { Mark } from '@mantine/core';
import { unwrapLines } from './unwrap-lines.ts';

/** A part of a text, in UTF-16 code units. */
export type TextRange = { start: number; end: number };

/** A text with parts of it marked, as text and never as HTML, and with its paragraphs in one piece. `offset` is where the text starts in what the ranges count. */
export function MarkedText({
  text,
  ranges,
  offset = 0,
}: {
  text: string;
  ranges: readonly TextRange[];
  offset?: number;
}) {
  const pieces = piecesOf(unwrapLines(text), ranges, offset);
  return pieces.map(({ start, text: piece, isMarked }) =>
    isMarked ? <Mark key={start}>{piece}</Mark> : <span key={start}>{piece}</span>,
  );
}

function piecesOf(text: string, ranges: readonly TextRange[], offset: number) {
  const pieces: { start: number; text: string; isMarked: boolean }[] = [];
  let at = 0;
  const add = (end: number, isMarked: boolean) => {
    if (end > at) pieces.push({ start: at, text: text.slice(at, end), isMarked });
    at = Math.max(at, end);
  };
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    add(Math.min(start - offset, text.length), false);
    add(Math.min(end - offset, text.length), true);
  }
  add(text.length, false);
  return pieces;
}
