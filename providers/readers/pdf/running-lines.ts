import type { Box, PdfLine, PdfPage, RuledLine } from './page.ts';

/** This many lines from the top and from the bottom of a page may be running headers and footers. */
const EDGE_LINES = 2;
const MIN_REPEATS = 3;
/** Share of the pages; left and right pages and chapters have headers of their own. */
const MIN_SHARE = 0.1;
/** Share of the page height, at the top and at the bottom, where page numbers stand. */
const MARGIN_SHARE = 0.1;
const PAGE_NUMBER =
  /^[-–—\s]*(?:(?:page|seite|p[aá]gina|pagina|strona|strana|sida|side|sivu|стр\.?|p\.|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|de|sur|di|van|av|из|z)\s*\d{1,4})?[-–—\s]*$/i;
/** A number, or a roman one at the end of the line. */
const NUMBER = /\d+|(?<=^|\s)[ivxlc]+$/gi;
/** The page number before or after a title. */
const TITLE_NUMBER = /^\d{1,4}\s|\s(?:\d{1,4}|[ivxlc]+)$/i;
const MIN_TITLE_LETTERS = 20;
/** A line with more numbers is a row of values. */
const MAX_NUMBERS = 8;
const ROMAN_VALUES: ReadonlyMap<string, number> = new Map([
  ['i', 1],
  ['v', 5],
  ['x', 10],
  ['l', 50],
  ['c', 100],
]);
const MAX_HEADER_LENGTH = 120;
const MIN_TITLE_RATIO = 1.15;
/** A running title with the page number before or after it. */
const NUMBERED_TITLE = /^\d{1,4}\s+\p{Lu}(?:[^.!?]|(?<=\d)\.)*$|^\p{Lu}(?:[^.!?]|(?<=\d)\.)*\s\d{1,4}$/u;
/** The numbers of two facing pages that are one page of the document. */
const FACING_PAGE_NUMBERS = /^(\d{1,4})\s.*\s(\d{1,4})$/;

/**
 * Removes running headers and footers: lines at the edge of a page that recur, except for the page number in them, at the
 * edge of several pages; the first occurrence stays, so no word is lost. Also removes page numbers in the margin, and titles
 * with a page number that are set above or below the text, apart from it and smaller. The rows of a table stay: those that have
 * other numbers on each page, and the header that its columns have on each page.
 */
export function removeRunningLines(pages: readonly (PdfPage | null)[]): PdfLine[][] {
  const edges = pages.map((page) => edgeLines(page?.lines ?? []));
  const keys = pages.length < MIN_REPEATS ? [] : lineKeys(pages, edges);
  const repeats = countRepeats(keys);
  const needed = Math.max(MIN_REPEATS, pages.length * MIN_SHARE);
  const isRepeated = (key: string): boolean => (repeats.get(key) ?? 0) >= needed;
  const seen = new Set<string>();
  return pages.map((page, index) => {
    const lines = page?.lines ?? [];
    const edge = edges[index] ?? new Set<PdfLine>();
    return lines.flatMap((line) => {
      if (!page || !edge.has(line)) return [line];
      if (lines.length > 1 && isPageNumber(line, page)) return [];
      const repeated = (keys[index]?.get(line) ?? []).filter(isRepeated);
      if (repeated.length === 0 || isTableRow(line, page, edge)) return [line];
      const isFirst = !repeated.some((key) => seen.has(key));
      for (const key of repeated) seen.add(key);
      if (!isFirst) return [];
      // The title on the first page, which the header repeats, is larger than the header.
      return [repeated.some((key) => isRepeated(sizedKey(line, key))) ? { ...line, isNeverHeading: true } : line];
    });
  });
}

/** On how many pages each key occurs, also together with the size of the line. */
function countRepeats(pages: readonly LineKeys[]): Map<string, number> {
  const repeats = new Map<string, number>();
  for (const lines of pages) {
    const found = [...lines].flatMap(([line, keys]) => keys.flatMap((key) => [key, sizedKey(line, key)]));
    for (const key of new Set(found)) repeats.set(key, (repeats.get(key) ?? 0) + 1);
  }
  return repeats;
}

/** Identify the lines at the edges of a page on other pages, by several keys: a line recurs where one of them does. */
type LineKeys = ReadonlyMap<PdfLine, readonly string[]>;

/**
 * The keys of a line: its text, and for each number in it the text with its difference from the number of the page in its place,
 * because a page number increases from page to page while the other numbers of a line are the same. Lines larger than most of the
 * document are titles and keep their numbers: `Week 1` and `Week 2` are two titles.
 */
function lineKeys(pages: readonly (PdfPage | null)[], edges: readonly ReadonlySet<PdfLine>[]): LineKeys[] {
  const sizes = pages.flatMap((page) => page?.lines.map(({ fontSize }) => fontSize) ?? []).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const keysOf = (line: PdfLine, pageIndex: number): string[] => {
    const text = line.text.trim();
    if (line.fontSize >= usual * MIN_TITLE_RATIO) return [text];
    const numbered = [...text.matchAll(NUMBER)].slice(0, MAX_NUMBERS).flatMap(({ 0: number, index }) => {
      const value = /^\d/.test(number) ? Number(number) : romanValue(number);
      const template = `${text.slice(0, index)}#${text.slice(index + number.length)}`;
      // A sheet may have two pages.
      return [`${value - pageIndex}`, `2 ${value - 2 * pageIndex}`].map((offset) => `${template} ${offset}`);
    });
    return [text, ...numbered, ...placedKey(line, pages[pageIndex])];
  };
  return edges.map((lines, index) => new Map([...lines].map((line) => [line, keysOf(line, index)])));
}

/** Of a selection of pages, the numbers have gaps: a title with a number before or after it, in its place in the margin. */
function placedKey({ text, first }: PdfLine, page: PdfPage | null | undefined): string[] {
  const title = text.trim().replace(TITLE_NUMBER, '');
  const isLong = (title.match(/\p{L}/gu) ?? []).length >= MIN_TITLE_LETTERS;
  if (!page || !isLong || title === text.trim() || !isInMargin(first, page)) return [];
  return [`${title} at ${Math.round(first.bottom)}`];
}

function isInMargin({ top, bottom }: Box, { height }: PdfPage): boolean {
  return bottom > height * (1 - MARGIN_SHARE) || top < height * MARGIN_SHARE;
}

function romanValue(numeral: string): number {
  const values = Array.from(numeral.toLowerCase(), (letter) => ROMAN_VALUES.get(letter) ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}

function sizedKey(line: PdfLine, key: string): string {
  return `${line.fontSize} ${key}`;
}

/** Whether a vertical rule between the words of the line goes on through lines within the page. */
function isTableRow(line: PdfLine, page: PdfPage, edge: ReadonlySet<PdfLine>): boolean {
  const isBeside = ({ start, end }: RuledLine, { top, bottom }: Box): boolean =>
    start < (top + bottom) / 2 && end > (top + bottom) / 2;
  const left = Math.min(line.first.left, line.last.left);
  const right = Math.max(line.first.right, line.last.right);
  const rules = page.ruledLines.filter(
    (rule) => !rule.isHorizontal && rule.position > left && rule.position < right && isBeside(rule, line.first),
  );
  return rules.some((rule) => page.lines.some((other) => !edge.has(other) && isBeside(rule, other.first)));
}

function isPageNumber(line: PdfLine, page: PdfPage): boolean {
  const { top, bottom } = line.first;
  const text = line.text.trim();
  if (isInMargin(line.first, page) && PAGE_NUMBER.test(text)) return true;
  if (text.length > MAX_HEADER_LENGTH) return false;
  const [, left = '', right = ''] = FACING_PAGE_NUMBERS.exec(text) ?? [];
  const hasFacingNumbers = left !== '' && Number(left) + 1 === Number(right);
  if (!hasFacingNumbers && !NUMBERED_TITLE.test(text)) return false;
  const others = page.lines.filter((other) => other !== line);
  const isAbove = others.every(({ first }) => first.top <= bottom);
  const isBelow = others.every(({ last }) => last.bottom >= top);
  if (!isAbove && !isBelow) return false;
  if (hasFacingNumbers) return true;
  const heights = others.map(({ first }) => first.top - first.bottom).sort((a, b) => a - b);
  const usual = heights[Math.floor(heights.length / 2)] ?? 0;
  const gap = isAbove
    ? bottom - others.reduce((highest, { first }) => Math.max(highest, first.top), 0)
    : others.reduce((lowest, { last }) => Math.min(lowest, last.bottom), Infinity) - top;
  return top - bottom < usual * 0.95 && gap > usual * 0.8;
}

function edgeLines(lines: readonly PdfLine[]): Set<PdfLine> {
  const heights = [...new Set(lines.map((line) => Math.round(line.first.bottom)))].sort((a, b) => a - b);
  const outer = new Set([...heights.slice(0, EDGE_LINES), ...heights.slice(-EDGE_LINES)]);
  return new Set(lines.filter((line) => outer.has(Math.round(line.first.bottom))));
}
