import { AppError } from '#domain/app-error.ts';
import { readDocFormatting, type FormattedRun } from './doc-formatting.ts';

/** A run of text in the stream, in the order of the document. `start` and `end` are places in the document. */
type Piece = { start: number; end: number; offset: number; bytesPerCharacter: 1 | 2 };

/** A paragraph, or the end of a cell or row of a table. */
export type DocParagraph = {
  text: string;
  /** Index of the style; 1 to 9 are the headings. */
  style: number;
  ends: 'paragraph' | 'cell' | 'row';
  isInTable: boolean;
};

const MAGIC = 0xa5ec;
/** Word 97 and later. */
const MIN_VERSION = 0xc1;
const ENCRYPTED = 0x0100;
const TABLE_1 = 0x0200;
const COMPRESSED = 0x4000_0000;
/** Bytes 0x80 to 0x9f in pieces of one byte per character ([MS-DOC] 2.9.73). */
const WESTERN = new TextDecoder('windows-1252');
const CELL_END = '\u0007';
const END = new RegExp(`[\r\f${CELL_END}]`, 'g');
/** Places of the lengths of the parts: text, footnotes, headers and footers, comments, endnotes, text boxes. */
const LENGTHS = [0x4c, 0x50, 0x54, 0x5c, 0x60, 0x64];

/** The parts of a document, each as paragraphs. */
export type DocParts = Record<'text' | 'footnotes' | 'comments' | 'endnotes' | 'boxes', DocParagraph[]>;

/**
 * Reads the text of a Word document of the binary format ([MS-DOC], Word 97 to 2003): the pieces of which it consists, without
 * deleted and hidden characters. `streamOf` returns a stream of the file by name. @throws AppError `unreadable`, `encrypted`;
 * RangeError when a structure leads out of the file.
 */
export function readDocFile(streamOf: (name: string) => Buffer | null): DocParts {
  const main = streamOf('WordDocument');
  if (main === null || main.length < 0x200 || main.readUInt16LE(0) !== MAGIC) throw damagedError();
  if (main.readUInt16LE(2) < MIN_VERSION) throw oldVersionError();
  const flags = main.readUInt16LE(0x0a);
  if ((flags & ENCRYPTED) !== 0) throw encryptedError();
  const table = streamOf((flags & TABLE_1) === 0 ? '0Table' : '1Table');
  if (table === null) throw damagedError();
  const pieces = piecesOf(main, table);
  const { paragraphs, hidden } = readDocFormatting(main, table);
  let place = 0;
  const part = (length: number): DocParagraph[] => {
    const from = place;
    place += length;
    return paragraphsOf({ main, pieces, paragraphs, hidden }, from, place);
  };
  const [text = [], footnotes = [], , comments = [], endnotes = [], boxes = []] = LENGTHS.map((at) =>
    part(main.readUInt32LE(at)),
  );
  return { text, footnotes, comments, endnotes, boxes };
}

/** The piece table ([MS-DOC] 2.8.35, 2.9.38). */
function piecesOf(main: Buffer, table: Buffer): Piece[] {
  let at = main.readUInt32LE(0x1a2);
  // Formatting of single pieces comes first.
  while (table.readUInt8(at) === 1) at += 3 + table.readUInt16LE(at + 1);
  if (table.readUInt8(at) !== 2) throw damagedError();
  const count = Math.floor((table.readUInt32LE(at + 1) - 4) / 12);
  const places = at + 5;
  const descriptors = places + (count + 1) * 4;
  if (descriptors + count * 8 > table.length) throw damagedError();
  return Array.from({ length: count }, (_, index) => {
    const start = table.readUInt32LE(places + index * 4);
    const end = table.readUInt32LE(places + (index + 1) * 4);
    const stored = table.readUInt32LE(descriptors + index * 8 + 2);
    const isCompressed = (stored & COMPRESSED) !== 0;
    const offset = isCompressed ? Math.floor((stored & ~COMPRESSED) / 2) : stored;
    return { start, end: Math.max(start, end), offset, bytesPerCharacter: isCompressed ? 1 : 2 };
  });
}

type Source = { main: Buffer; pieces: readonly Piece[]; paragraphs: FormattedRun[]; hidden: FormattedRun[] };

/** The paragraphs from one place in the document to another. */
function paragraphsOf(source: Source, from: number, to: number): DocParagraph[] {
  const found: DocParagraph[] = [];
  let text = '';
  for (const { start, end, offset, bytesPerCharacter: width } of source.pieces) {
    const first = Math.max(from, start);
    const last = Math.min(to, end);
    if (first >= last) continue;
    const begin = offset + (first - start) * width;
    const bytes = source.main.subarray(begin, offset + (last - start) * width);
    const shown = width === 1 ? WESTERN.decode(bytes) : bytes.toString('utf16le');
    let done = 0;
    for (const { index, 0: mark } of shown.matchAll(END)) {
      const markAt = begin + index * width;
      text += visible(shown, { from: done, to: index, begin, width }, source.hidden);
      const { style = 0, isRowEnd = false, isInTable = false } = runAt(source.paragraphs, markAt) ?? {};
      found.push({ text, style, isInTable, ends: mark === CELL_END ? (isRowEnd ? 'row' : 'cell') : 'paragraph' });
      text = '';
      done = index + 1;
    }
    text += visible(shown, { from: done, to: shown.length, begin, width }, source.hidden);
  }
  if (text !== '') found.push({ text, style: 0, isInTable: false, ends: 'paragraph' });
  return found;
}

/** The text between two places of a piece, without its hidden runs. */
function visible(
  piece: string,
  { from, to, begin, width }: { from: number; to: number; begin: number; width: number },
  hidden: readonly FormattedRun[],
): string {
  if (hidden.length === 0) return piece.slice(from, to);
  let text = '';
  for (let at = from; at < to;) {
    const run = runAt(hidden, begin + at * width);
    const next = run ? run.end : nextStart(hidden, begin + at * width);
    const end = Math.min(to, Math.max(at + 1, Math.ceil((next - begin) / width)));
    if (!run) text += piece.slice(at, end);
    at = end;
  }
  return text;
}

/** The run that contains this place in the stream, by binary search. */
function runAt(runs: readonly FormattedRun[], offset: number): FormattedRun | undefined {
  const run = runs[firstAfter(runs, offset) - 1];
  return run && offset < run.end ? run : undefined;
}

function nextStart(runs: readonly FormattedRun[], offset: number): number {
  return runs[firstAfter(runs, offset)]?.start ?? Number.MAX_SAFE_INTEGER;
}

/** Index of the first run that begins after this place. */
function firstAfter(runs: readonly FormattedRun[], offset: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function damagedError(): AppError {
  const message = 'The Word document is damaged or truncated. Open it in Word, save it as .docx and upload that.';
  return new AppError('unreadable', message);
}

function oldVersionError(): AppError {
  const message =
    'The document was written by Word 95 or older. Open it in Word or LibreOffice, save it as .docx and upload that.';
  return new AppError('unreadable', message);
}

function encryptedError(): AppError {
  const message = 'The Word document is protected by a password. Remove the password and upload it again.';
  return new AppError('encrypted', message);
}
