import type { Box, PdfWord } from './pdfium-page.ts';

/** A table of a page: its cells' texts, row by row, and the words that they hold. */
export type FoundTable = { box: Box; grid: string[][]; used: ReadonlySet<PdfWord> };

/** The text of a cell, its words in the document's order. */
export function cellText(words: readonly PdfWord[]): string {
  return words.map(({ text }) => text).join(' ');
}
