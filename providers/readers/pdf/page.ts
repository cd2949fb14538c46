/** Points, from the lower left corner of the page. */
export type Box = { left: number; top: number; right: number; bottom: number };

export type PdfWord = Box & { text: string };

/** A line as pdfium tells it, in its order. */
export type PdfLine = {
  /** U+FFFE stands where a word was broken by a hyphen at a line end; the physical lines around it are one here. */
  text: string;
  first: Box;
  last: Box;
  /** Set in a bold face, by its first and last character. */
  isBold: boolean;
  /** Set in a face whose characters are all of one width, by its first, middle and last character. */
  isMonospaced: boolean;
  words: readonly PdfWord[];
  /** Whatever its size: a line that runs along the edge of pages, a value of a form. */
  isNeverHeading?: true;
};

export type PdfPage = {
  width: number;
  height: number;
  lines: PdfLine[];
  ruledLines: RuledLine[];
  /** Without text, or with a stamp alone, but with a picture or many strokes. */ isImage: boolean;
};

/** A straight horizontal or vertical stroke, an edge of a box, or a very thin box. Points. */
export type RuledLine = {
  isHorizontal: boolean;
  /** y of a horizontal one, x of a vertical one. */ position: number;
  start: number;
  end: number;
};

/** What was written into a field of a form, or typed onto the page. */
export type FormField = { text: string; box: Box };

/** A table of a page: its cells' texts, row by row, and the words that they hold. */
export type PdfTable = { box: Box; grid: string[][]; words: ReadonlySet<PdfWord> };

/** The text of a cell, its words in the document's order. */
export function joinWords(words: readonly PdfWord[]): string {
  return words.map(({ text }) => text).join(' ');
}
