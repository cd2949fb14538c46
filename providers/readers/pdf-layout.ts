import type { PdfLine } from './pdfium.ts';

export type Layout = {
  /** Size of most of the document's characters, in points. */
  body: number;
  /** Sizes of headings, largest first; the index is the level less one. */
  headings: readonly number[];
  /** Lines that end between words end with a blank, so that one without ends inside a word (told for Hangul). */
  marksWordEnds: boolean;
};

const HEADING_RATIO = 1.15;
const MAX_HEADING_LEVELS = 4;
const MAX_HEADING_LENGTH = 200;
/** Lines further apart than this many times their height belong to different paragraphs. */
const PARAGRAPH_GAP = 1.75;
const HYPHEN_MARK = '\uFFFE';
const BROKEN_WORD = /([\p{L}\p{N}]+)\uFFFE([\p{L}\p{N}]+)/gu;
const COMPOUND = /\p{L}+-\p{L}+/gu;
const LIST_MARK = /^(?:[•▪◦●■□○►▶✓❑·*–—\uE000-\uF8FF-]|[(]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s/u;
const DOT_LEADER = /(?:[ \u00a0]?\.){5,}/g;
/** A line of a table of contents. */
const CONTENTS_LINE = /(?:[ \u00a0]?\.){5,}\s*\w{1,6}\s*$/;
/** Private use characters are bullets of symbol fonts. */
const BULLET = /^[•▪◦●■□○►▶✓❑\uE000-\uF8FF][ \u00a0]*/u;
/** Typographic ligatures and Arabic presentation forms, which nobody types into a search. */
const PRESENTATION_FORM = /[\uFB00-\uFB06\uFB50-\uFDFF\uFE70-\uFEFC]/g;
/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const HANGUL_END = /\p{Script=Hangul} ?$/u;

/** Finds the size of body text and the sizes above it that are used for short lines only. */
export function measureLayout(pages: readonly (readonly PdfLine[])[]): Layout {
  const characters = new Map<number, number>();
  const lines = pages.flat();
  for (const line of lines) characters.set(sizeOf(line), (characters.get(sizeOf(line)) ?? 0) + line.text.length);
  const body = [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  const sizes = new Set(lines.filter((line) => sizeOf(line) >= body * HEADING_RATIO && isTitle(line.text)).map(sizeOf));
  const hangul = lines.filter(({ text }) => HANGUL_END.test(text));
  const marksWordEnds = hangul.filter(({ text }) => text.endsWith(' ')).length > hangul.length * 0.1;
  return { body, headings: [...sizes].sort((a, b) => b - a), marksWordEnds };
}

/**
 * The text of a page as Markdown: wrapped lines joined into paragraphs where position and width say that they were
 * wrapped, headings told by their size. Words stay in pdfium's order.
 */
export function layOutPage(lines: readonly PdfLine[], layout: Layout): string {
  const textWidth =
    lines.reduce((right, line) => Math.max(right, line.last.right), 0) -
    Math.min(...lines.map((line) => line.first.left));
  const out: string[] = [];
  let previous: PdfLine | null = null;
  let right = 0;
  for (const line of lines) {
    const level = headingLevel(line, layout);
    if (previous === null) out.push(level === 0 ? '' : headingMark(level));
    else if (level > 0) out.push(continuesHeading(previous, line) ? ' ' : `\n\n${headingMark(level)}`);
    else if (headingLevel(previous, layout) > 0) out.push('\n\n');
    else if (isWrapped(previous, line, { right, textWidth })) out.push(glue(previous.text, line.text, layout));
    else out.push(isNear(previous, line) ? '\n' : '\n\n');
    right = out.at(-1)?.includes('\n') ? line.last.right : Math.max(right, line.last.right);
    out.push(line.text.trimEnd().replace(BULLET, '- '));
    previous = line;
  }
  return out
    .join('')
    .replace(DOT_LEADER, ' …')
    .replace(PRESENTATION_FORM, (form) => form.normalize('NFKC'));
}

/** Puts words together that a hyphen broke at a line end, and leaves the hyphen in those written with one. */
export function joinBrokenWords(text: string): string {
  if (!text.includes(HYPHEN_MARK)) return text;
  const compounds = new Set(text.match(COMPOUND)?.map((word) => word.toLowerCase()) ?? []);
  return text
    .replace(BROKEN_WORD, (_, left: string, right: string) => {
      const isPlainWord = /\p{L}$/u.test(left) && /^\p{Ll}/u.test(right);
      return isPlainWord && !compounds.has(`${left}-${right}`.toLowerCase()) ? left + right : `${left}-${right}`;
    })
    .replaceAll(HYPHEN_MARK, '-');
}

/** Height of the line's first character with its ascent and descent, to half a point. */
function sizeOf({ first }: PdfLine): number {
  return Math.round((first.top - first.bottom) * 2) / 2;
}

function isTitle(text: string): boolean {
  return text.length <= MAX_HEADING_LENGTH && /\p{L}{2}/u.test(text) && !/[.,;:]\s*$/.test(text);
}

function headingLevel(line: PdfLine, { body, headings }: Layout): number {
  const size = sizeOf(line);
  if (size < body * HEADING_RATIO || !isTitle(line.text)) return 0;
  return Math.min(headings.indexOf(size) + 1, MAX_HEADING_LEVELS);
}

function headingMark(level: number): string {
  return `${'#'.repeat(level)} `;
}

function continuesHeading(previous: PdfLine, line: PdfLine): boolean {
  return sizeOf(previous) === sizeOf(line) && isNear(previous, line) && drop(previous, line) > 0;
}

/** How far the line lies below the one before, in points; negative at the top of a new column. */
function drop(previous: PdfLine, line: PdfLine): number {
  return previous.last.bottom - line.first.bottom;
}

function isNear(previous: PdfLine, line: PdfLine): boolean {
  const distance = drop(previous, line);
  return distance > -1 && distance < PARAGRAPH_GAP * Math.max(sizeOf(previous), sizeOf(line));
}

/** True when the line goes on where the one before had no room left. */
function isWrapped(previous: PdfLine, line: PdfLine, block: { right: number; textWidth: number }): boolean {
  const size = sizeOf(line);
  const isBelow = drop(previous, line) > size * 0.5 && isNear(previous, line);
  if (!isBelow || Math.abs(sizeOf(previous) - size) > size * 0.1 || LIST_MARK.test(line.text)) return false;
  if (CONTENTS_LINE.test(previous.text)) return false;
  const left = Math.min(previous.first.left, previous.last.left);
  const isIndented = line.first.left - left > size * 0.8 && !LIST_MARK.test(previous.text);
  const width = previous.last.right - previous.first.left;
  if (isIndented || width < block.textWidth * 0.35) return false;
  const firstWord = line.text.split(/\s/, 1)[0]?.length ?? 0;
  const wordWidth = (firstWord / line.text.length) * (line.last.right - line.first.left);
  return previous.last.right + wordWidth >= Math.max(block.right, line.last.right) - size * 0.5;
}

/** What goes between two wrapped lines. */
function glue(before: string, after: string, { marksWordEnds }: Layout): string {
  if (/\p{L}[-\u00ad]$/u.test(before)) return '';
  const [last, first] = [before.slice(-1), after.slice(0, 1)];
  if (UNSPACED.test(last) && UNSPACED.test(first)) return '';
  return marksWordEnds && HANGUL.test(last) && HANGUL.test(first) ? '' : ' ';
}
