/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import type { Pdfium } from './pdfium.ts';
import { createFaceReader, createLineFaces, type Face, FACE_BYTES, PLAIN_FACE } from './pdfium-faces.ts';
import { withBullets } from './pdf-bullets.ts';
import { withFields } from './pdf-fields.ts';
import { readFields } from './pdfium-fields.ts';
import { type PageText, readPageText } from './pdfium-page-text.ts';
import { isDrawn, pictureShare, readDrawing, type Rule } from './pdfium-rules.ts';
import { type Turn, turnOf } from './pdfium-turn.ts';

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
  isNoHeading?: true;
};

export type PdfPage = {
  width: number;
  height: number;
  lines: PdfLine[];
  rules: Rule[];
  /** Without text, or with a stamp alone, but with a picture or many strokes. */ isPicture: boolean;
};

const NO_BOX: Box = { left: 0, top: 0, right: 0, bottom: 0 };
/** Wider characters than this many times their height, on average, stand apart. */
const SCATTERED = 1.25;
const MAX_SCATTERED = 12;
/** Stands where a word was broken by a hyphen. */
const HYPHEN_MARK = 0xfffe;
const BLANK = /\s/;
/** The number of a note, behind a word. */
const NOTE_NUMBER = /\d{1,2}(?<=\p{L}{3}[.,;:)”"’]?\d{1,2})(?![\p{L}\d.,]*[\p{L}\d])/gu;
/** Of the height of the text beside it; no larger character is raised. */
const RAISED_SIZE = 0.85;

/** Less text than this beside a picture, at the page's edge, may be a stamp on a scan. */
const MAX_STAMP_LENGTH = 200;
const EDGE_SHARE = 0.12;
const MIN_PICTURE_SHARE = 0.5;

/** Reads text, values of form fields and ruled lines of a page; null when it is damaged. `form` as `openForm` gave it. */
export function readPage(
  pdfium: Pdfium,
  { document, form }: { document: number; form: number },
  index: number,
): PdfPage | null {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const textPage = pdfium._FPDFText_LoadPage(page);
  try {
    if (textPage === 0) return null;
    const turn = turnOf(pdfium, page, textPage);
    const { width, height } = turn;
    const fields = readFields(pdfium, page, form).map(({ text, box }) => ({ text, box: turn.box(box) }));
    const lines = withFields(linesOf(pdfium, textPage, turn), fields);
    if (lines.length === 0) return { width, height, lines, rules: [], isPicture: isDrawn(pdfium, page) };
    const { rules, dots } = readDrawing(pdfium, page);
    const isPicture = isStamp(lines, height) && pictureShare(pdfium, page) >= MIN_PICTURE_SHARE;
    const marked = withBullets(lines, dots.map(turn.box));
    return { width, height, lines: marked, rules: rules.map(turn.rule), isPicture };
  } finally {
    if (textPage !== 0) pdfium._FPDFText_ClosePage(textPage);
    pdfium._FPDF_ClosePage(page);
  }
}

/** Numbers and names that were printed onto a scan: little text, all of it at the upper or lower edge. */
function isStamp(lines: readonly PdfLine[], height: number): boolean {
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  const isAtEdge = ({ first }: PdfLine): boolean =>
    first.bottom > height * (1 - EDGE_SHARE) || first.top < height * EDGE_SHARE;
  return length <= MAX_STAMP_LENGTH && lines.every(isAtEdge);
}

type Characters = {
  /** Box of the character at this place in the text. */
  boxAt(textIndex: number): Box;
  faceAt(textIndex: number): Face;
  /** Says which line is asked about next; most have one character of the page for each of their text. */
  enterLine(start: number, end: number): void;
};

function linesOf(pdfium: Pdfium, textPage: number, turn: Turn): PdfLine[] {
  const { text, placeOf } = readPageText(pdfium, textPage);
  if (text === '') return [];
  const scratch = pdfium._malloc(FACE_BYTES);
  const characters = charactersOf(pdfium, { textPage, scratch, turn, placeOf });
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
  const words: PdfWord[] = [];
  for (const { from, to } of piecesOf(line, breaks)) {
    const length = to - from;
    const first = characters.boxAt(offset + from);
    const last = length === 1 ? first : characters.boxAt(offset + to - 1);
    const word = wordAround(line.slice(from, to), first, last);
    // Single characters of a table's columns, between which pdfium saw no blank.
    const isScattered = length > 1 && word.right - word.left > length * SCATTERED * (word.top - word.bottom);
    if (!isScattered || length > MAX_SCATTERED) words.push(word);
    else for (let at = from; at < to; at += 1) words.push({ text: line.charAt(at), ...characters.boxAt(offset + at) });
  }
  return words;
}

/** Runs of characters that are no blanks, as places in the line, cut at the breaks as well. */
function piecesOf(line: string, breaks: readonly number[]): { from: number; to: number }[] {
  const pieces: { from: number; to: number }[] = [];
  const cuts = new Set(breaks);
  let from = -1;
  for (let at = 0; at <= line.length; at += 1) {
    const isBlank = at === line.length || isBlankCode(line.charCodeAt(at));
    if (from >= 0 && (isBlank || cuts.has(at))) {
      pieces.push({ from, to: at });
      from = -1;
    }
    if (!isBlank && from < 0) from = at;
  }
  return pieces;
}

/** A regular expression asks this slower, and pages are asked it for each of their characters. */
function isBlankCode(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code === HYPHEN_MARK || code === 0xa0 || (code >= 0x1680 && BLANK.test(String.fromCharCode(code)));
}

function wordAround(text: string, a: Box, b: Box): PdfWord {
  return {
    text,
    left: Math.min(a.left, b.left),
    right: Math.max(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

type TextPage = { textPage: number; scratch: number; turn: Turn; placeOf: PageText['placeOf'] };

function charactersOf(pdfium: Pdfium, { textPage, scratch, turn, placeOf }: TextPage): Characters {
  let offset: number | null = null;
  const charAt = (textIndex: number): number => (offset === null ? placeOf(textIndex) : textIndex + offset);
  const faceOfCharacter = createFaceReader(pdfium, textPage, scratch);
  return {
    enterLine(start, end) {
      const [first, last] = [placeOf(start), placeOf(end)];
      offset = first >= 0 && last - first === end - start ? first - start : null;
    },
    boxAt(textIndex) {
      const charIndex = charAt(textIndex);
      if (charIndex < 0 || pdfium._FPDFText_GetLooseCharBox(textPage, charIndex, scratch) === 0) return NO_BOX;
      const [at, { HEAPF32: floats }] = [scratch / 4, pdfium];
      return turn.box({
        left: floats[at] ?? 0,
        top: floats[at + 1] ?? 0,
        right: floats[at + 2] ?? 0,
        bottom: floats[at + 3] ?? 0,
      });
    },
    faceAt(textIndex) {
      const charIndex = charAt(textIndex);
      return charIndex < 0 ? PLAIN_FACE : faceOfCharacter(charIndex);
    },
  };
}
