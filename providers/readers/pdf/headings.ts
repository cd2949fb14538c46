import type { PdfLine } from './page.ts';

export type DocumentStyle = {
  /** Font size of most characters of the document, in points. */
  bodySize: number;
  /** Font sizes of headings, largest first; the index is the heading level minus one. */
  headingSizes: readonly number[];
  /** Bold lines of the body size are headings, because the body text is not bold. */
  hasBoldHeadings: boolean;
  /** Lines that end between words end with a space, so a line without one ends inside a word (measured for Hangul). */
  marksWordEnds: boolean;
};

const HEADING_RATIO = 1.15;
const MAX_HEADING_LEVELS = 4;
const MAX_HEADING_LENGTH = 200;
const MAX_BOLD_LENGTH = 120;
/** Monospaced fonts are set smaller than the text next to them. */
const MIN_FUNCTION_NAME_RATIO = 0.75;
/** Baseline distance from which lines are in different paragraphs, in line heights. */
const MIN_APART_HEIGHTS = 1.45;
/** With a larger share of characters in bold lines, bold is emphasis or the only font. */
const MAX_BOLD_SHARE = 0.25;
const HANGUL_END = /\p{Script=Hangul} ?$/u;
/** List markers, without numbers: headings begin with numbers as well. */
const BULLET_START = /^\s*[•▪◦●■□○►▶✓❑·*–—※☐\uE000-\uF8FF-]/u;

/** Determines the font size of the body text and the larger sizes that only short lines use. */
export function measureDocumentStyle(pages: readonly (readonly PdfLine[])[]): DocumentStyle {
  const characters = new Map<number, number>();
  const lines = pages.flat();
  let [total, bold] = [0, 0];
  for (const line of lines) {
    total += line.text.length;
    // Code is set smaller than the text, and may be longer.
    if (!line.isMonospaced)
      characters.set(fontSizeOf(line), (characters.get(fontSizeOf(line)) ?? 0) + line.text.length);
    if (line.isBold) bold += line.text.length;
  }
  const bodySize = [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  const headingSizes = new Set(
    lines.filter((line) => fontSizeOf(line) >= bodySize * HEADING_RATIO && looksLikeHeading(line)).map(fontSizeOf),
  );
  const hangul = lines.filter(({ text }) => HANGUL_END.test(text));
  const marksWordEnds = hangul.filter(({ text }) => text.endsWith(' ')).length > hangul.length * 0.1;
  const hasBoldHeadings = bold <= total * MAX_BOLD_SHARE;
  return { bodySize, headingSizes: [...headingSizes].sort((a, b) => b - a), hasBoldHeadings, marksWordEnds };
}

/** The font size of a line: the height of its first character including ascent and descent, rounded to half a point. */
export function fontSizeOf({ first }: PdfLine): number {
  return Math.round((first.top - first.bottom) * 2) / 2;
}

/** The heading level that follows from the font size of the line; 0 for none. */
export function headingLevel(line: PdfLine, { bodySize, headingSizes }: DocumentStyle): number {
  const size = fontSizeOf(line);
  if (line.isNeverHeading || size < bodySize * HEADING_RATIO || !looksLikeHeading(line)) return 0;
  if (medianWordHeight(line) < bodySize * HEADING_RATIO - 0.5) return 0;
  return Math.min(headingSizes.indexOf(size) + 1, MAX_HEADING_LEVELS);
}

/** The level of a bold line of the body size that stands alone, one below the levels by size; 0 for none. */
export function boldHeadingLevel(line: PdfLine, neighbors: Neighbors, style: DocumentStyle): number {
  const { next } = neighbors;
  if (!style.hasBoldHeadings || !line.isBold || line.isNeverHeading) return 0;
  // The name of a function in the documentation of a program.
  const isName = line.isMonospaced && !next?.isMonospaced;
  if (fontSizeOf(line) < style.bodySize * (isName ? MIN_FUNCTION_NAME_RATIO : 0.9)) return 0;
  const isShort = line.text.length <= MAX_BOLD_LENGTH && looksLikeHeading(line);
  if (!isShort || (!isName && !isApart(line, neighbors) && !/^[\p{Lu}\p{Lo}\p{N}(「]/u.test(line.text.trim())))
    return 0;
  // Successive bold lines are a paragraph or a list of names.
  if (next?.isBold && fontSizeOf(next) === fontSizeOf(line)) return 0;
  return Math.min(style.headingSizes.length + 1, MAX_HEADING_LEVELS);
}

/** The lines above and below; null at the first and the last line. */
export type Neighbors = { before: PdfLine | null; next: PdfLine | null };

/** Whether the line has space above and below, like a paragraph. */
function isApart(line: PdfLine, { before, next }: Neighbors): boolean {
  const room = fontSizeOf(line) * MIN_APART_HEIGHTS;
  const [above, below] = [
    before ? before.last.bottom - line.first.bottom : room,
    next ? line.first.bottom - next.first.bottom : room,
  ];
  return above >= room && below >= room;
}

/** Median over the words of the line: a single larger number or initial does not make a heading. */
function medianWordHeight({ words }: PdfLine): number {
  const heights = words.map(({ top, bottom }) => top - bottom).sort((a, b) => a - b);
  return heights[Math.floor(heights.length / 2)] ?? 0;
}

function looksLikeHeading({ text, isBold }: PdfLine): boolean {
  const isPhrase = text.length <= MAX_HEADING_LENGTH && /\p{L}{2}/u.test(text) && !/[.,;:]\s*$/.test(text);
  // A single word in lower case is part of a formula or a figure, unless it is bold as well.
  return isPhrase && !BULLET_START.test(text) && (isBold || !/^\p{Ll}+$/u.test(text.trim()));
}
