/** A rectangle in points; the origin is the lower left corner of the page. */
export type Box = { left: number; top: number; right: number; bottom: number };

export type PdfWord = Box & { text: string };

/** A line of text as pdfium reports it, in the order of the document. */
export type PdfLine = {
  /** U+FFFE marks a word hyphenated at a line end; the physical lines on both sides of it are one line here. */
  text: string;
  first: Box;
  last: Box;
  /**
   * The nominal size of most of the text in points, rounded to half a point. The height of a character differs from font to font at
   * the same size.
   */
  fontSize: number;
  /** Whether the font of the first and the last character is bold. */
  isBold: boolean;
  /** Whether the font of the first, the middle and the last character is monospaced. */
  isMonospaced: boolean;
  words: readonly PdfWord[];
  /**
   * True for lines that are no heading whatever their font size: running headers and footers, values of form fields.
   */
  isNeverHeading?: true;
  /** Its characters are at no quarter turn: a watermark, or a label of a figure. Such lines are no headings. */
  isSlanted?: true;
  /** The line is read from right to left: `first` is at its right end. */
  isRightToLeft?: true;
};

export type PdfPage = {
  width: number;
  height: number;
  lines: PdfLine[];
  /** Joined where they were drawn in segments. */
  ruledLines: RuledLine[];
  /** Whether the page is an image to recognize: no text, or only a stamp, but an image or many paths. */
  isImage: boolean;
};

/** A straight horizontal or vertical stroke, an edge of a rectangle, or a very thin rectangle. In points. */
export type RuledLine = {
  isHorizontal: boolean;
  /** The y coordinate of a horizontal line, the x coordinate of a vertical one. */
  position: number;
  start: number;
  end: number;
};

/** The value of a form field, or free text typed onto the page. */
export type FormField = { text: string; box: Box };

/** A table on a page: the texts of its cells row by row, and the words that they contain. */
export type PdfTable = {
  box: Box;
  grid: string[][];
  words: ReadonlySet<PdfWord>;
  /** Its rows continue the table at the end of the page before; it has no header. */
  isContinuation?: true;
};

/** The height of a line: that of its first character including ascent and descent, rounded to half a point. */
export function lineHeightOf({ first }: PdfLine): number {
  return Math.round((first.top - first.bottom) * 2) / 2;
}

/** The text of a cell: its words in the order of the document. */
export function joinWords(words: readonly PdfWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** The line with some of its words only; null without any. */
export function withWords(line: PdfLine, words: readonly PdfWord[]): PdfLine | null {
  const [first, last] = [words[0], words.at(-1)];
  return first && last ? { ...line, text: joinWords(words), first, last, words } : null;
}
