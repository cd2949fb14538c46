import { findSentenceEnds } from '#domain/chunking/sentences.ts';

/** A part of a text, without the white space around it. Offsets in UTF-16 code units. */
export type Span = { start: number; end: number };

/**
 * Returns the sentences of a text. A line break ends a sentence as well only where an empty line, a list item, a heading or the row
 * of a table follows, and after a Markdown heading.
 */
export function sentenceSpans(text: string): Span[] {
  const breaks = new Set<number>();
  for (const { end, kind } of findSentenceEnds(text)) if (kind === 'sentence') breaks.add(end);
  for (const { index } of text.matchAll(/\n(?=\s*\n|\s*\||\s*(?:[-*+•>]|#{1,6}|\d+[.)])\s)/g)) breaks.add(index);
  for (const { 0: line, index } of text.matchAll(/^[^\S\n]*#{1,6}[^\S\n][^\n]*/gm)) breaks.add(index + line.length);
  const spans: Span[] = [];
  let start = 0;
  for (const end of [...breaks].toSorted((a, b) => a - b).concat(text.length)) {
    const part = text.slice(start, end);
    const lead = part.length - part.trimStart().length;
    if (part.trim() !== '') spans.push({ start: start + lead, end: start + part.trimEnd().length });
    start = end;
  }
  return spans;
}
