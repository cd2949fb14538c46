/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import { isDrawn, readRules, type Rule } from './pdfium-rules.ts';

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
  words: readonly PdfWord[];
};

export type PdfPage = {
  width: number;
  height: number;
  lines: PdfLine[];
  rules: Rule[];
  /** Without text, but with a picture or many strokes. */ isPicture: boolean;
};

const NO_BOX: Box = { left: 0, top: 0, right: 0, bottom: 0 };
const BOLD_WEIGHT = 600;
/** As in Arial-BoldMT, MyriadPro-Bd, NimbusRomNo9L-Medi, and TeX's CMBX10. */
const BOLD_NAME = /bold|black|heavy|demi|medi(?!um)|^(?:\w+\+)?(?:cm|sf|lm|ec)\w?bx|bd(?:$|[^a-z])|bdit$/i;
/** Wider characters than this many times their height, on average, stand apart. */
const SCATTERED = 1.25;
const MAX_SCATTERED = 12;
const FONT_NAME_BYTES = 128;

/** Reads text and ruled lines of a page; null when it is damaged. */
export function readPage(pdfium: Pdfium, document: number, index: number): PdfPage | null {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const textPage = pdfium._FPDFText_LoadPage(page);
  try {
    if (textPage === 0) return null;
    const lines = linesOf(pdfium, textPage);
    const [width, height] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
    if (lines.length === 0) return { width, height, lines, rules: [], isPicture: isDrawn(pdfium, page) };
    return { width, height, lines, rules: readRules(pdfium, page), isPicture: false };
  } finally {
    if (textPage !== 0) pdfium._FPDFText_ClosePage(textPage);
    pdfium._FPDF_ClosePage(page);
  }
}

export function utf16(pdfium: Pdfium, pointer: number, sizeBytes: number): string {
  return Buffer.from(pdfium.HEAPU8.buffer, pointer, sizeBytes).toString('utf16le');
}

type Characters = {
  /** Box of the character at this place in the text. */
  boxAt(textIndex: number): Box;
  isBoldAt(textIndex: number): boolean;
  /** Says which line is asked about next; most have one character of the page for each of their text. */
  enterLine(start: number, end: number): void;
};

function linesOf(pdfium: Pdfium, textPage: number): PdfLine[] {
  const count = pdfium._FPDFText_CountChars(textPage);
  if (count <= 0) return [];
  const buffer = pdfium._malloc((count + 1) * 2);
  const scratch = pdfium._malloc(FONT_NAME_BYTES);
  const written = pdfium._FPDFText_GetText(textPage, 0, count, buffer);
  const text = utf16(pdfium, buffer, Math.max(0, written - 1) * 2);
  const characters = charactersOf(pdfium, textPage, scratch);
  const lines: PdfLine[] = [];
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    characters.enterLine(index, index + line.length - 1);
    const words = wordsOf(line, index, characters);
    const [first, last] = [words[0], words.at(-1)];
    if (!first || !last) continue;
    const start = line.length - line.trimStart().length;
    const end = line.trimEnd().length - 1;
    const isBold = characters.isBoldAt(index + start) && characters.isBoldAt(index + end);
    lines.push({ text: line.slice(start), first: characters.boxAt(index + start), last: boxEnd(last), isBold, words });
  }
  pdfium._free(scratch);
  pdfium._free(buffer);
  return lines;
}

function boxEnd({ left, top, right, bottom }: PdfWord): Box {
  return { left, top, right, bottom };
}

function wordsOf(line: string, offset: number, characters: Characters): PdfWord[] {
  const boxAt = (textIndex: number): Box => characters.boxAt(textIndex);
  const words: PdfWord[] = [];
  for (const { 0: text, index } of line.matchAll(/[^\s\uFFFE]+/g)) {
    const first = boxAt(offset + index);
    const last = text.length === 1 ? first : boxAt(offset + index + text.length - 1);
    const word = { text, ...hull(first, last) };
    // Single characters of a table's columns, between which pdfium saw no blank.
    const isScattered = text.length > 1 && word.right - word.left > text.length * SCATTERED * (word.top - word.bottom);
    if (!isScattered || text.length > MAX_SCATTERED) words.push(word);
    else
      for (const [at, character] of text.split('').entries())
        words.push({ text: character, ...boxAt(offset + index + at) });
  }
  return words;
}

function hull(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    right: Math.max(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

function charactersOf(pdfium: Pdfium, textPage: number, scratch: number): Characters {
  const lookUp = (textIndex: number): number => pdfium._FPDFText_GetCharIndexFromTextIndex(textPage, textIndex);
  let offset: number | null = null;
  const charAt = (textIndex: number): number => (offset === null ? lookUp(textIndex) : textIndex + offset);
  const boldFonts = new Map<string, boolean>();
  return {
    enterLine(start, end) {
      const [first, last] = [lookUp(start), lookUp(end)];
      offset = first >= 0 && last - first === end - start ? first - start : null;
    },
    boxAt(textIndex) {
      const charIndex = charAt(textIndex);
      if (charIndex < 0 || pdfium._FPDFText_GetLooseCharBox(textPage, charIndex, scratch) === 0) return NO_BOX;
      const at = scratch / 4;
      const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.HEAPF32.subarray(at, at + 4);
      return { left, top, right, bottom };
    },
    isBoldAt(textIndex) {
      const charIndex = charAt(textIndex);
      if (charIndex < 0) return false;
      if (pdfium._FPDFText_GetFontWeight(textPage, charIndex) >= BOLD_WEIGHT) return true;
      const length = pdfium._FPDFText_GetFontInfo(textPage, charIndex, scratch, FONT_NAME_BYTES, 0);
      if (length <= 1 || length > FONT_NAME_BYTES) return false;
      const name = Buffer.from(pdfium.HEAPU8.buffer, scratch, length - 1).toString('latin1');
      const isBold = boldFonts.get(name) ?? BOLD_NAME.test(name);
      boldFonts.set(name, isBold);
      return isBold;
    },
  };
}
