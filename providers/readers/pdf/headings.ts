import { lineHeightOf, type PdfLine, type PdfWord } from './page.ts';

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
/** Bold titles of sections are often a little smaller than the text. */
const MIN_BOLD_RATIO = 0.86;
const MAX_PLAIN_LENGTH = 80;
/** In line heights; tabs after numbers of sections are smaller. */
const MAX_WORD_GAP = 4;
/** A line of a paragraph is at least this long. */
const MIN_PROSE_LENGTH = 40;
/** A title that is continued on a second line is at least this long. */
const MIN_WRAPPED_TITLE = 30;
/** The number of a section: `2`, `2.1`, `A.`, `Article 4`. */
const NUMBERED =
  /^\s*(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.|[IVX]{1,5}\.|(?:[Aa]rt(?:icle|ikel)|[Ss]ection|[Cc]hapter|[Pp]art|§)\s*\d{1,3}\.?)\s+[^\p{Ll}]/u;
const NUMBERED_TITLE = /^\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+(\p{Lu}.*)$/u;
const NUMBER_IN_BRACKETS = /^\(\d{1,2}\)\s+[^\p{Ll}]/u;
/** Letters of twice the width. */
const WIDE_LETTER = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const CAPTION = /^\s*(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)|tabelle|tableau)\s*\d/i;
/** A line of a table of contents. */
const CONTENTS_LINE = /(?:\.[ \u00a0]?){4,}\s*\w{0,6}\s*$/;
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
    if (!line.isMonospaced) characters.set(line.fontSize, (characters.get(line.fontSize) ?? 0) + line.text.length);
    if (line.isBold) bold += line.text.length;
  }
  const bodySize = [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  const headingSizes = new Set(
    lines
      .filter((line) => line.fontSize >= bodySize * HEADING_RATIO && looksLikeHeading(line))
      .map(({ fontSize }) => fontSize),
  );
  const hangul = lines.filter(({ text }) => HANGUL_END.test(text));
  const marksWordEnds = hangul.filter(({ text }) => text.endsWith(' ')).length > hangul.length * 0.1;
  const hasBoldHeadings = bold <= total * MAX_BOLD_SHARE;
  return { bodySize, headingSizes: [...headingSizes].sort((a, b) => b - a), hasBoldHeadings, marksWordEnds };
}

/** The heading level that follows from the font size of the line; 0 for none. */
export function headingLevel(line: PdfLine, { bodySize, headingSizes }: DocumentStyle): number {
  if (line.isNeverHeading || line.fontSize < bodySize * HEADING_RATIO || !looksLikeHeading(line)) return 0;
  return Math.min(headingSizes.indexOf(line.fontSize) + 1, MAX_HEADING_LEVELS);
}

/** Whether a line of the body size can be a heading at all: a quick test, for most lines are text. */
export function mayBeHeading({ isBold, text, words }: PdfLine): boolean {
  if (!isBold && text.length > MAX_PLAIN_LENGTH) return false;
  // Wide gaps are between cells.
  const isGap = ({ left, top, bottom }: PdfWord, index: number): boolean =>
    index > 0 && left - (words[index - 1]?.right ?? left) > MAX_WORD_GAP * (top - bottom);
  return !words.some(isGap);
}

/** The level of a bold line of the body size that is a title of its own, one below the levels by size; 0 for none. */
export function boldHeadingLevel(line: PdfLine, neighbors: Neighbors, style: DocumentStyle): number {
  const { next } = neighbors;
  if (!style.hasBoldHeadings || !line.isBold || line.isNeverHeading) return 0;
  // The name of a function in the documentation of a program.
  const isName = line.isMonospaced && !next?.isMonospaced;
  if (line.fontSize < style.bodySize * (isName ? MIN_FUNCTION_NAME_RATIO : MIN_BOLD_RATIO)) return 0;
  const isNumbered = NUMBERED.test(line.text);
  const isShort = line.text.length <= MAX_BOLD_LENGTH && looksLikeHeading(line);
  if (!isShort || CAPTION.test(line.text)) return 0;
  if (!isName && !isApart(line, neighbors) && !/^[\p{Lu}\p{Lo}\p{N}(「]/u.test(line.text.trim())) return 0;
  // Successive bold lines are a paragraph or a list of names, unless they are apart or numbered like a section and its first part.
  const isFollowed = next?.isBold === true && next.fontSize === line.fontSize;
  if (isFollowed && !(isNumbered && NUMBERED.test(next.text)) && !isTwoLines(line, neighbors)) return 0;
  return Math.min(style.headingSizes.length + 1, MAX_HEADING_LEVELS);
}

/** The level of a line like body text that is in capitals or numbered like a section, above a paragraph; 0 for none. */
export function plainHeadingLevel(line: PdfLine, { before, next }: Neighbors, style: DocumentStyle): number {
  if (line.isNeverHeading || line.isMonospaced || line.text.length > MAX_PLAIN_LENGTH || !next) return 0;
  const text = line.text.trim();
  const isCapitals = /\p{Lu}{3}/u.test(text) && !/\p{Ll}/u.test(text);
  const height = lineHeightOf(line);
  // The items of a list are as large as their text.
  const isItemTitle = NUMBER_IN_BRACKETS.test(text) && line.fontSize > next.fontSize;
  if (!(isCapitals || isItemTitle || isNumberedTitle(text)) || !looksLikeHeading(line) || CAPTION.test(text)) return 0;
  const isAbove = !before || before.last.bottom - line.first.bottom >= height * MIN_APART_HEIGHTS;
  const distance = line.first.bottom - next.first.bottom;
  const isNextBelow = distance > height * 0.8 && distance < height * 3 && next.first.left < line.last.right;
  const isProse = isProseLine(next) && !next.isMonospaced;
  // The title ends although there is space for another word.
  if (!isItemTitle && next.last.right <= line.last.right + height * 3) return 0;
  if (!isAbove || !isNextBelow || !isProse || line.fontSize < style.bodySize * MIN_BOLD_RATIO) return 0;
  return Math.min(style.headingSizes.length + 1, MAX_HEADING_LEVELS);
}

function isProseLine({ text }: PdfLine): boolean {
  const minLength = WIDE_LETTER.test(text) ? MIN_PROSE_LENGTH / 2 : MIN_PROSE_LENGTH;
  return text.length >= minLength && /\p{Ll}{2}|\p{Lo}{2}/u.test(text) && !NUMBERED.test(text);
}

/** `2. METHODS`, `2.1 Data and methods`, but not an item of a list: `1. Wash the apples`. */
function isNumberedTitle(text: string): boolean {
  const title = NUMBERED_TITLE.exec(text)?.[1];
  if (title === undefined) return false;
  if (/^\d{1,2}\.\d/.test(text)) return true;
  const words = title.split(/\s+/).filter((word) => word.length > 3);
  return words.length > 0 && words.every((word) => /^\P{Ll}/u.test(word));
}

/** Whether the line is the first of a title of two lines. */
function isTwoLines(line: PdfLine, { before, next, afterNext }: Neighbors): boolean {
  if (!next || (before?.isBold && before.fontSize === line.fontSize)) return false;
  const isWrapped = line.text.length >= MIN_WRAPPED_TITLE && next.text.length < line.text.length + 10;
  return isWrapped && afterNext !== null && !afterNext.isBold && looksLikeHeading(next);
}

/** Whether a line begins with the number of a section. */
export function hasSectionNumber({ text }: PdfLine): boolean {
  return NUMBERED.test(text);
}

/** Whether a bold line is the second one of the title before it. */
export function continuesBoldHeading(line: PdfLine, { before, next }: Neighbors): boolean {
  if (!before?.isBold || !line.isBold || before.fontSize !== line.fontSize || next?.isBold) return false;
  return before.text.length >= MIN_WRAPPED_TITLE && !hasSectionNumber(line) && looksLikeHeading(line);
}

/** The lines above and below; null at the first and the last line. */
export type Neighbors = { before: PdfLine | null; next: PdfLine | null; afterNext: PdfLine | null };

/** Whether the line has space above and below, like a paragraph. */
function isApart(line: PdfLine, { before, next }: Neighbors): boolean {
  const room = lineHeightOf(line) * MIN_APART_HEIGHTS;
  const [above, below] = [
    before ? before.last.bottom - line.first.bottom : room,
    next ? line.first.bottom - next.first.bottom : room,
  ];
  return above >= room && below >= room;
}

function looksLikeHeading({ text, isBold }: PdfLine): boolean {
  const isEnded = NUMBERED.test(text) && isBold ? /[,;，；、]\s*$/ : /[.,;:。．，、；：]\s*$/;
  const isPhrase = text.length <= MAX_HEADING_LENGTH && /\p{L}{2}/u.test(text) && !isEnded.test(text);
  // A single word in lower case is part of a formula or a figure, unless it is bold as well.
  const isWord = !isBold && /^\p{Ll}+$/u.test(text.trim());
  return isPhrase && !isWord && !BULLET_START.test(text) && !CONTENTS_LINE.test(text);
}
