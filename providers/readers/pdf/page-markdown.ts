import { markdownTable, tableRow } from '#providers/readers/shared/markdown-table.ts';
import { codeBlock, codeBlockLength } from './code-blocks.ts';
import {
  boldHeadingLevel,
  continuesBoldHeading,
  hasSectionNumber,
  headingLevel,
  mayBeHeading,
  plainHeadingLevel,
  type DocumentStyle,
} from './headings.ts';
import { BULLET, createListIndents, LIST_MARKER } from './list-indents.ts';
import { lineHeightOf, type PdfLine, type PdfTable } from './page.ts';
import { isTable, type PageItem } from './page-items.ts';

/** A baseline distance of more than this many line heights separates paragraphs. */
const PARAGRAPH_GAP = 1.75;
/** A line that is this many times farther from the previous one than that one from the line above begins a paragraph. */
const MAX_LEADING_RATIO = 1.4;
/** Widths of a space, in line heights. */
const [MIN_SPACE, MAX_SPACE] = [0.1, 0.4];
const HYPHEN_MARK = '\uFFFE';
const WORD_END = /[\p{L}\p{N}]+$/u;
const WORD_START = /^[\p{L}\p{N}]+/u;
const MAX_WORD_LENGTH = 60;
const COMPOUND = /(?<!\p{L})\p{L}+-\p{L}+/gu;
const DOT_LEADER = /(?:[ \u00a0]?\.){5,}/g;
/** A line of a table of contents. */
const CONTENTS_LINE = /(?:[ \u00a0]?\.){5,}\s*\w{1,6}\s*$/;
/** Typographic ligatures and Arabic presentation forms, which users do not type into a search. */
const PRESENTATION_FORM = /[\uFB00-\uFB06\uFB50-\uFDFF\uFE70-\uFEFC]/g;
/** Stretches Arabic words to fill a line. */
const TATWEEL = /\u0640+/g;
/** Scripts written without spaces, and full-width punctuation. */
const SCRIPT_WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3001-\u301f\u30fc\uff01-\uff65]/u;
const HANGUL = /\p{Script=Hangul}/u;

/**
 * Renders a page as Markdown: joins lines that position and width identify as wrapped into paragraphs, recognizes
 * headings by font size or weight, and renders tables. The order of the items is kept.
 */
export function renderPageMarkdown(items: readonly PageItem[], style: DocumentStyle): string {
  const parts: string[] = [];
  let lines: PdfLine[] = [];
  const endText = (): void => {
    for (const part of splitTextAndCode(lines))
      parts.push(part.isCode ? codeBlock(part.lines) : renderLines(part.lines, style));
    lines = [];
  };
  for (const item of items) {
    if (!isTable(item)) lines.push(item);
    else {
      endText();
      parts.push(renderTable(item));
    }
  }
  endText();
  return parts
    .join('\n\n')
    .replace(DOT_LEADER, ' …')
    .replace(PRESENTATION_FORM, (form) => form.normalize('NFKC'))
    .replace(TATWEEL, '');
}

/** Splits lines into runs of text and of code. */
function* splitTextAndCode(lines: readonly PdfLine[]): Generator<{ isCode: boolean; lines: PdfLine[] }> {
  let text: PdfLine[] = [];
  for (let at = 0; at < lines.length;) {
    const length = lines[at]?.isMonospaced === true ? codeBlockLength(lines.slice(at)) : 0;
    if (length > 0) {
      if (text.length > 0) yield { isCode: false, lines: text };
      text = [];
      yield { isCode: true, lines: lines.slice(at, at + length) };
    } else text.push(...lines.slice(at, at + 1));
    at += Math.max(1, length);
  }
  if (text.length > 0) yield { isCode: false, lines: text };
}

/** The rows of a table that began on the page before follow those there. */
function renderTable({ grid, isContinuation }: PdfTable): string {
  return isContinuation ? grid.map((row) => tableRow(row, row.length)).join('\n') : markdownTable(grid);
}

function renderLines(lines: readonly PdfLine[], style: DocumentStyle): string {
  const textWidth =
    lines.reduce((right, { first, last }) => Math.max(right, first.right, last.right), 0) -
    Math.min(...lines.map(({ first, last }) => Math.min(first.left, last.left)));
  const levels = headingLevelsOf(lines, style);
  const out: string[] = [];
  const lists = createListIndents();
  let previous: PdfLine | null = null;
  let [end, leading] = [-Infinity, Infinity];
  for (const [index, line] of lines.entries()) {
    const level = levels[index] ?? 0;
    const levelBefore = levels[index - 1] ?? 0;
    if (previous === null) out.push(level === 0 ? '' : headingPrefix(level));
    else if (level > 0)
      out.push(level === levelBefore && continuesHeading(previous, line) ? ' ' : `\n\n${headingPrefix(level)}`);
    else if (levelBefore > 0) out.push('\n\n');
    else if (isSameRow(previous, line))
      out.push(gapBetween(previous, line) < lineHeightOf(previous) * MIN_SPACE ? '' : ' ');
    else if (isWrapped(previous, line, { end, leading, textWidth }))
      out.push(wrapSeparator(previous.text, line.text, style));
    else
      out.push(
        isSameBlock(previous, line) && distanceBelow(previous, line) <= leading * MAX_LEADING_RATIO ? '\n' : '\n\n',
      );
    const isNewBlock = out.at(-1)?.includes('\n') !== false;
    end = isNewBlock ? endOf(line) : Math.max(end, endOf(line));
    if (isNewBlock || previous === null) leading = Infinity;
    else if (!isSameRow(previous, line)) leading = distanceBelow(previous, line);
    const text = line.text.trimEnd().replace(BULLET, '- ');
    if (level > 0 || (previous && distanceBelow(previous, line) < 0)) lists.end();
    const isBlock = level === 0 && (isNewBlock || previous === null);
    out.push(isBlock ? lists.indentOf({ start: startOf(line), size: lineHeightOf(line), text }) : '', text);
    previous = line;
  }
  return out.join('');
}

/** Heading levels by font size, else by weight, capitals or numbers; a bold line inside a paragraph is emphasis. */
function headingLevelsOf(lines: readonly PdfLine[], style: DocumentStyle): number[] {
  const levels: number[] = [];
  for (const [index, line] of lines.entries()) {
    const bySize = headingLevel(line, style);
    levels.push(bySize > 0 || !mayBeHeading(line) ? bySize : levelByNeighbors(lines, { index, levels, style }));
  }
  return levels;
}

type Place = { index: number; levels: readonly number[]; style: DocumentStyle };

function levelByNeighbors(lines: readonly PdfLine[], { index, levels, style }: Place): number {
  const line = lines[index];
  if (!line) return 0;
  const [before, next] = [lines[index - 1] ?? null, lines[index + 1] ?? null];
  const neighbors = { before, next, afterNext: lines[index + 2] ?? null };
  const levelBefore = levels[index - 1] ?? 0;
  if (levelBefore > 0 && before && isSameBlock(before, line) && continuesBoldHeading(line, neighbors))
    return levelBefore;
  // A bold word at the end of a line that continues.
  const isInside = [before, next].some(
    (other) => other && Math.abs(other.last.bottom - line.first.bottom) < lineHeightOf(line) * 0.5,
  );
  if (isInside) return 0;
  return boldHeadingLevel(line, neighbors, style) || plainHeadingLevel(line, neighbors, style);
}

/**
 * Rejoins words that were hyphenated at a line end; keeps the hyphen of words that are also written with one in the
 * text. A mark that does not follow a word is an unknown character and is removed.
 */
export function joinHyphenatedWords(text: string): string {
  if (!text.includes(HYPHEN_MARK)) return text;
  const compounds = new Set(text.match(COMPOUND)?.map((word) => word.toLowerCase()) ?? []);
  return text.replaceAll(HYPHEN_MARK, (_, at: number) => {
    const left = WORD_END.exec(text.slice(Math.max(0, at - MAX_WORD_LENGTH), at))?.[0] ?? '';
    if (left === '') return '';
    const right = WORD_START.exec(text.slice(at + 1, at + 1 + MAX_WORD_LENGTH))?.[0] ?? '';
    const isPlainWord = /\p{L}$/u.test(left) && /^\p{Ll}/u.test(right);
    return isPlainWord && !compounds.has(`${left}-${right}`.toLowerCase()) ? '' : '-';
  });
}

function headingPrefix(level: number): string {
  return `${'#'.repeat(level)} `;
}

function continuesHeading(previous: PdfLine, line: PdfLine): boolean {
  if (previous.fontSize !== line.fontSize || hasSectionNumber(line)) return false;
  return isSameBlock(previous, line) && distanceBelow(previous, line) > 0;
}

/** The distance of the line below the previous one, in points; negative at the top of a new column. */
function distanceBelow(previous: PdfLine, line: PdfLine): number {
  return previous.last.bottom - line.first.bottom;
}

/** The horizontal distance of a line from the previous one. */
function gapBetween(previous: PdfLine, line: PdfLine): number {
  return line.first.left - previous.last.right;
}

/** Whether the line goes on where the previous one ends: pdfium ends a line where text is raised or lowered. */
function isSameRow(previous: PdfLine, line: PdfLine): boolean {
  const [a, b] = [previous.last, line.first];
  const overlap = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
  if (overlap < Math.min(a.top - a.bottom, b.top - b.bottom) * 0.5) return false;
  const [gap, size] = [gapBetween(previous, line), lineHeightOf(previous)];
  return !line.isRightToLeft && gap > -size * 0.1 && gap < size * MAX_SPACE;
}

function isSameBlock(previous: PdfLine, line: PdfLine): boolean {
  const distance = distanceBelow(previous, line);
  return distance > -1 && distance < PARAGRAPH_GAP * Math.max(lineHeightOf(previous), lineHeightOf(line));
}

/** Where a line begins and ends, in points in the direction of reading. */
function startOf({ first, isRightToLeft }: PdfLine): number {
  return isRightToLeft ? -first.right : first.left;
}

function endOf({ last, isRightToLeft }: PdfLine): number {
  return isRightToLeft ? -last.left : last.right;
}

type Block = {
  /** Where the longest line of the paragraph so far ends. */
  end: number;
  /** The baseline distance of its last two lines; `Infinity` after the first. */
  leading: number;
  /** The width of all lines. */
  textWidth: number;
};

/** Whether the line continues the previous one, which had no space left for the first word of this line. */
function isWrapped(previous: PdfLine, line: PdfLine, block: Block): boolean {
  const size = lineHeightOf(line);
  const distance = distanceBelow(previous, line);
  if (distance > block.leading * MAX_LEADING_RATIO) return false;
  const isBelow = distance > size * 0.5 && isSameBlock(previous, line);
  if (!isBelow || Math.abs(previous.fontSize - line.fontSize) > line.fontSize * 0.1 || LIST_MARKER.test(line.text))
    return false;
  if (CONTENTS_LINE.test(previous.text) || previous.isRightToLeft !== line.isRightToLeft) return false;
  const start = previous.isRightToLeft ? startOf(previous) : Math.min(previous.first.left, previous.last.left);
  const isIndented = startOf(line) - start > size * 0.8 && !LIST_MARKER.test(previous.text);
  const width = endOf(previous) - startOf(previous);
  if (isIndented || width < block.textWidth * 0.35) return false;
  const firstWord = line.text.split(/\s/, 1)[0]?.length ?? 0;
  const wordWidth = (firstWord / line.text.length) * (endOf(line) - startOf(line));
  return endOf(previous) + wordWidth >= Math.max(block.end, endOf(line)) - size * 0.5;
}

/** The text between two wrapped lines. */
function wrapSeparator(before: string, after: string, { marksWordEnds }: DocumentStyle): string {
  if (/\p{L}[-\u00ad]$/u.test(before)) return '';
  const [last, first] = [before.slice(-1), after.slice(0, 1)];
  if (SCRIPT_WITHOUT_SPACES.test(last) && SCRIPT_WITHOUT_SPACES.test(first)) return '';
  return marksWordEnds && HANGUL.test(last) && HANGUL.test(first) ? '' : ' ';
}
