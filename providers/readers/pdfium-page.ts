/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import { createFaceReader, createLineFaces, type Face, FACE_BYTES, PLAIN_FACE } from './pdfium-faces.ts';
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
  /** Set in a face whose characters are all of one width, by its first, middle and last character. */
  isMonospaced: boolean;
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
/** Wider characters than this many times their height, on average, stand apart. */
const SCATTERED = 1.25;
const MAX_SCATTERED = 12;
/** The number of a note, behind a word. */
const NOTE_NUMBER = /\d{1,2}(?<=\p{L}{3}[.,;:)”"’]?\d{1,2})(?![\p{L}\d.,]*[\p{L}\d])/gu;
/** Of the height of the text beside it; no larger character is raised. */
const RAISED_SIZE = 0.85;

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
  faceAt(textIndex: number): Face;
  /** Says which line is asked about next; most have one character of the page for each of their text. */
  enterLine(start: number, end: number): void;
};

function linesOf(pdfium: Pdfium, textPage: number): PdfLine[] {
  const count = pdfium._FPDFText_CountChars(textPage);
  if (count <= 0) return [];
  const buffer = pdfium._malloc((count + 1) * 2);
  const scratch = pdfium._malloc(FACE_BYTES);
  const written = pdfium._FPDFText_GetText(textPage, 0, count, buffer);
  const text = utf16(pdfium, buffer, Math.max(0, written - 1) * 2);
  const characters = charactersOf(pdfium, textPage, scratch);
  const faces = createLineFaces();
  const lines: PdfLine[] = [];
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    characters.enterLine(index, index + line.length - 1);
    const raised = raisedNumbers(line, index, characters);
    const words = wordsOf({ line, offset: index, breaks: raised }, characters);
    const [first, last] = [words[0], words.at(-1)];
    if (!first || !last) continue;
    const start = line.length - line.trimStart().length;
    const end = line.trimEnd().length - 1;
    const shown = spacedAt(line, raised).slice(start);
    const face = faces.ofLine({ line, from: start, to: end, words }, (at) => characters.faceAt(index + at));
    lines.push({ text: shown, first: characters.boxAt(index + start), last: boxEnd(last), ...face, words });
  }
  faces.settle(lines);
  pdfium._free(scratch);
  pdfium._free(buffer);
  return lines;
}

function boxEnd({ left, top, right, bottom }: PdfWord): Box {
  return { left, top, right, bottom };
}

/** Where in the line numbers of notes begin, which stand higher and are smaller than the word before them. */
function raisedNumbers(line: string, offset: number, characters: Characters): number[] {
  const found: number[] = [];
  for (const { index } of line.matchAll(NOTE_NUMBER)) {
    const [before, number] = [characters.boxAt(offset + index - 1), characters.boxAt(offset + index)];
    const isSmaller = number.top - number.bottom < RAISED_SIZE * (before.top - before.bottom);
    if (isSmaller && number.bottom > before.bottom) found.push(index);
  }
  return found;
}

function spacedAt(line: string, places: readonly number[]): string {
  return places.length === 0 ? line : [0, ...places].map((at, index) => line.slice(at, places[index])).join(' ');
}

type LineText = {
  line: string;
  /** Of the line in the text. */ offset: number;
  /** Places where a word ends, with no blank. */ breaks: readonly number[];
};

function wordsOf({ line, offset, breaks }: LineText, characters: Characters): PdfWord[] {
  const boxAt = (textIndex: number): Box => characters.boxAt(textIndex);
  const words: PdfWord[] = [];
  for (const { text, index } of piecesOf(line, breaks)) {
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

function* piecesOf(line: string, breaks: readonly number[]): Generator<{ text: string; index: number }> {
  for (const { 0: whole, index } of line.matchAll(/[^\s\uFFFE]+/g)) {
    const cuts = breaks.filter((at) => at > index && at < index + whole.length);
    if (cuts.length === 0) yield { text: whole, index };
    else
      for (const [place, at] of [index, ...cuts].entries())
        yield { text: line.slice(at, cuts[place] ?? index + whole.length), index: at };
  }
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
  const faceOfCharacter = createFaceReader(pdfium, textPage, scratch);
  return {
    enterLine(start, end) {
      const [first, last] = [lookUp(start), lookUp(end)];
      offset = first >= 0 && last - first === end - start ? first - start : null;
    },
    boxAt(textIndex) {
      const charIndex = charAt(textIndex);
      if (charIndex < 0 || pdfium._FPDFText_GetLooseCharBox(textPage, charIndex, scratch) === 0) return NO_BOX;
      const [at, { HEAPF32: floats }] = [scratch / 4, pdfium];
      return {
        left: floats[at] ?? 0,
        top: floats[at + 1] ?? 0,
        right: floats[at + 2] ?? 0,
        bottom: floats[at + 3] ?? 0,
      };
    },
    faceAt(textIndex) {
      const charIndex = charAt(textIndex);
      return charIndex < 0 ? PLAIN_FACE : faceOfCharacter(charIndex);
    },
  };
}
