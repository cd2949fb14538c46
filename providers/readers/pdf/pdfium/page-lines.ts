/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import {
  createFontStyleReader,
  createLineFontStyles,
  type FontStyle,
  FONT_STYLE_BUFFER_BYTES,
  PLAIN_FONT_STYLE,
} from './font-styles.ts';
import { type PageText, readPageText } from './page-text.ts';
import type { PageRotation } from './page-rotation.ts';
import type { Box, PdfWord, PdfLine } from '#providers/readers/pdf/page.ts';
import { hasRightToLeftText, isMostlyRightToLeft, readingOrder } from '#providers/readers/pdf/right-to-left.ts';

/** The box of a character without a place on the page. */
const NO_BOX: Box = { left: 0, top: 0, right: 0, bottom: 0 };

/** A word whose characters are on average wider than this many times their height consists of separate characters. */
const MIN_SCATTERED_WIDTH_RATIO = 1.25;

const MAX_SCATTERED_LENGTH = 12;

/** Marks a word that was hyphenated at a line end. */
const HYPHEN_MARK = 0xfffe;

const WHITE_SPACE = /\s/;

/** The number of a footnote after a word. */
const NOTE_NUMBER = /\d{1,2}(?<=\p{L}{3}[.,;:)”"’]?\d{1,2})(?![\p{L}\d.,]*[\p{L}\d])/gu;

/** Largest ratio of the height of a superscript to the height of the text next to it. */
const MAX_SUPERSCRIPT_RATIO = 0.85;

/** The box of the character at an offset of its line. */
type BoxAt = (at: number) => Box;

type CharacterReader = {
  /** The box of the character at this offset of the text. */
  boxAt(textIndex: number): Box;
  fontStyleAt(textIndex: number): FontStyle;
  /** Sets the line of the next calls. In most lines each character of the text has one character of the page. */
  enterLine(start: number, end: number): void;
};

/**
 * Reads the lines of text of a page in the order of the document, with boxes in the coordinates of the rotated page. White
 * space alone is no line.
 */
export function readPageLines(pdfium: Pdfium, textPage: number, rotation: PageRotation): PdfLine[] {
  const { text, charIndexOf } = readPageText(pdfium, textPage);
  if (text === '') return [];
  const scratch = pdfium._malloc(FONT_STYLE_BUFFER_BYTES);
  const characters = createCharacterReader(pdfium, { textPage, scratch, rotation, charIndexOf });
  const fontStyles = createLineFontStyles();
  const isRightToLeft = hasRightToLeftText(text) ? isMostlyRightToLeft(text) : null;
  const lines: PdfLine[] = [];
  for (const { 0: found, index } of text.matchAll(/[^\r\n]+/g)) {
    characters.enterLine(index, index + found.length - 1);
    const { line, boxes, direction } = inReadingOrder({ line: found, offset: index, isRightToLeft }, characters);
    const raised = findNoteNumbers(line, boxes);
    const words = splitWords(line, raised, boxes);
    const [first, last] = [words[0], words.at(-1)];
    if (!first || !last) continue;
    const start = line.length - line.trimStart().length;
    const end = line.trimEnd().length - 1;
    const spaced = insertSpacesAt(line, raised).slice(start);
    const firstBox = boxes(start);
    const height = firstBox.top - firstBox.bottom;
    const fontStyle = fontStyles.styleOf({ line, from: start, to: end, height, words }, (at) =>
      characters.fontStyleAt(index + at),
    );
    lines.push({ text: spaced, first: firstBox, last: boxOf(last), ...fontStyle, ...direction, words });
  }
  fontStyles.markMonospaced(lines);
  pdfium._free(scratch);
  return lines;
}

function boxOf({ left, top, right, bottom }: PdfWord): Box {
  return { left, top, right, bottom };
}

/** Offsets in the line of footnote numbers, which are raised and smaller than the word before them. */
function findNoteNumbers(line: string, boxAt: BoxAt): number[] {
  const found: number[] = [];
  // Most lines have no digit: a simple expression is several times faster.
  if (!/\d/.test(line)) return found;
  for (const { index } of line.matchAll(NOTE_NUMBER)) {
    const [before, number] = [boxAt(index - 1), boxAt(index)];
    const isSmaller = number.top - number.bottom < MAX_SUPERSCRIPT_RATIO * (before.top - before.bottom);
    if (isSmaller && number.bottom > before.bottom) found.push(index);
  }
  return found;
}

function insertSpacesAt(line: string, places: readonly number[]): string {
  return places.length === 0 ? line : [0, ...places].map((at, index) => line.slice(at, places[index])).join(' ');
}

type FoundLine = {
  line: string;
  /** Offset of the line in the text. */
  offset: number;
  /** The direction of most letters of the page; null when all its text runs from left to right. */
  isRightToLeft: boolean | null;
};

const LEFT_TO_RIGHT = {};

/** The text of a line in the order of reading, and the boxes of its characters. */
type OrderedLine = { line: string; boxes: BoxAt; direction: { isRightToLeft?: true } };

/** Lines with text from right to left are ordered by the places of their characters. */
function inReadingOrder({ line, offset, isRightToLeft }: FoundLine, characters: CharacterReader): OrderedLine {
  if (isRightToLeft === null || !hasRightToLeftText(line))
    return { line, boxes: (at) => characters.boxAt(offset + at), direction: LEFT_TO_RIGHT };
  const placed = Array.from({ length: line.length }, (_, at) => ({
    text: line.charAt(at),
    box: characters.boxAt(offset + at),
  }));
  const ordered = readingOrder(placed, isRightToLeft);
  return {
    line: ordered.characters.map(({ text }) => text).join(''),
    boxes: (at) => ordered.characters[at]?.box ?? NO_BOX,
    direction: ordered.isRightToLeft ? { isRightToLeft: true } : LEFT_TO_RIGHT,
  };
}

/** Words end at white space, and at the breaks: offsets where a word ends without it. */
function splitWords(line: string, breaks: readonly number[], boxAt: BoxAt): PdfWord[] {
  const words: PdfWord[] = [];
  for (const { from, to } of wordRanges(line, breaks)) {
    const length = to - from;
    const first = boxAt(from);
    const last = length === 1 ? first : boxAt(to - 1);
    const word = wordBetween(line.slice(from, to), first, last);
    // Single characters in columns of a table, between which pdfium detected no space.
    const isScattered =
      length > 1 && word.right - word.left > length * MIN_SCATTERED_WIDTH_RATIO * (word.top - word.bottom);
    if (!isScattered || length > MAX_SCATTERED_LENGTH) words.push(word);
    else for (let at = from; at < to; at += 1) words.push({ text: line.charAt(at), ...boxAt(at) });
  }
  return words;
}

/** Ranges of characters that are not white space, as offsets in the line, also split at the breaks. */
function wordRanges(line: string, breaks: readonly number[]): { from: number; to: number }[] {
  const pieces: { from: number; to: number }[] = [];
  const cuts = breaks.length === 0 ? null : new Set(breaks);
  let from = -1;
  for (let at = 0; at <= line.length; at += 1) {
    const isBlank = at === line.length || isWhiteSpaceCode(line.charCodeAt(at));
    if (from >= 0 && (isBlank || cuts?.has(at) === true)) {
      pieces.push({ from, to: at });
      from = -1;
    }
    if (!isBlank && from < 0) from = at;
  }
  return pieces;
}

/** Faster than a regular expression: this runs for each character of a page. */
function isWhiteSpaceCode(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code === HYPHEN_MARK || code === 0xa0 || (code >= 0x1680 && WHITE_SPACE.test(String.fromCharCode(code)));
}

function wordBetween(text: string, a: Box, b: Box): PdfWord {
  return {
    text,
    left: Math.min(a.left, b.left),
    right: Math.max(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

type TextPage = { textPage: number; scratch: number; rotation: PageRotation; charIndexOf: PageText['charIndexOf'] };

function createCharacterReader(
  pdfium: Pdfium,
  { textPage, scratch, rotation, charIndexOf }: TextPage,
): CharacterReader {
  let offset: number | null = null;
  const charAt = (textIndex: number): number => (offset === null ? charIndexOf(textIndex) : textIndex + offset);
  const faceOfCharacter = createFontStyleReader(pdfium, textPage, scratch);
  return {
    enterLine(start, end) {
      const [first, last] = [charIndexOf(start), charIndexOf(end)];
      offset = first >= 0 && last - first === end - start ? first - start : null;
    },
    boxAt(textIndex) {
      const charIndex = charAt(textIndex);
      if (charIndex < 0 || pdfium._FPDFText_GetLooseCharBox(textPage, charIndex, scratch) === 0) return NO_BOX;
      const [at, { HEAPF32: floats }] = [scratch / 4, pdfium];
      return rotation.rotateBox({
        left: floats[at] ?? 0,
        top: floats[at + 1] ?? 0,
        right: floats[at + 2] ?? 0,
        bottom: floats[at + 3] ?? 0,
      });
    },
    fontStyleAt(textIndex) {
      const charIndex = charAt(textIndex);
      return charIndex < 0 ? PLAIN_FONT_STYLE : faceOfCharacter(charIndex);
    },
  };
}
