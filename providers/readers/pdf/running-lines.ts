import { fontSizeOf } from './headings.ts';
import type { PdfLine, PdfPage } from './page.ts';

/** This many lines from the top and from the bottom of a page may be running headers and footers. */
const EDGE_LINES = 2;
const MIN_REPEATS = 3;
/** Share of the pages; left and right pages and chapters have headers of their own. */
const MIN_SHARE = 0.1;
/** Share of the page height, at the top and at the bottom, where page numbers stand. */
const MARGIN_SHARE = 0.1;
const PAGE_NUMBER =
  /^[-–—\s]*(?:(?:page|seite|p[aá]gina|pagina|strona|strana|sida|side|sivu|стр\.?|p\.|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|de|sur|di|van|av|из|z)\s*\d{1,4})?[-–—\s]*$/i;
const MAX_HEADER_LENGTH = 120;
const MIN_TITLE_RATIO = 1.15;
/** A running title with the page number before or after it. */
const NUMBERED_TITLE = /^\d{1,4}\s+\p{Lu}(?:[^.!?]|(?<=\d)\.)*$|^\p{Lu}(?:[^.!?]|(?<=\d)\.)*\s\d{1,4}$/u;
/** The numbers of two facing pages that are one page of the document. */
const FACING_PAGE_NUMBERS = /^(\d{1,4})\s.*\s(\d{1,4})$/;

/**
 * Removes running headers and footers: lines at the edge of a page that recur, except for their numbers, at the edge of
 * several pages; the first occurrence stays, so no word is lost. Also removes page numbers in the margin, and titles
 * with a page number that are set above or below the text, apart from it and smaller.
 */
export function removeRunningLines(pages: readonly (PdfPage | null)[]): PdfLine[][] {
  const edges = pages.map((page) => edgeLines(page?.lines ?? []));
  const keyOf = createLineKey(pages);
  const repeats = new Map<string, number>();
  for (const lines of edges)
    for (const key of new Set([...lines].flatMap((line) => [keyOf(line), sizedKey(line, keyOf)])))
      repeats.set(key, (repeats.get(key) ?? 0) + 1);
  const needed = Math.max(MIN_REPEATS, pages.length * MIN_SHARE);
  const seen = new Set<string>();
  return pages.map((page, index) => {
    const lines = page?.lines ?? [];
    return lines.flatMap((line) => {
      if (!edges[index]?.has(line)) return [line];
      if (page && lines.length > 1 && isPageNumber(line, page)) return [];
      const key = keyOf(line);
      if ((repeats.get(key) ?? 0) < needed) return [line];
      const isFirst = !seen.has(key);
      seen.add(key);
      if (!isFirst) return [];
      // The title on the first page, which the header repeats, is larger than the header.
      return [(repeats.get(sizedKey(line, keyOf)) ?? 0) < needed ? line : { ...line, isNeverHeading: true }];
    });
  });
}

type LineKey = (line: PdfLine) => string;

/**
 * Creates the function that identifies a line on other pages: by its text with numbers replaced, because page numbers
 * change. Lines larger than most of the document are titles and keep their numbers: `Week 1` and `Week 2` are two
 * titles.
 */
function createLineKey(pages: readonly (PdfPage | null)[]): LineKey {
  const sizes = pages.flatMap((page) => page?.lines.map(fontSizeOf) ?? []).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return (line) => {
    const text = line.text.trim();
    if (fontSizeOf(line) >= usual * MIN_TITLE_RATIO) return text;
    return text.replace(/\d+/g, '#').replace(/(?<=^|\s)[ivxlc]+$/i, '#');
  };
}

function sizedKey(line: PdfLine, keyOf: LineKey): string {
  return `${fontSizeOf(line)} ${keyOf(line)}`;
}

function isPageNumber(line: PdfLine, page: PdfPage): boolean {
  const { top, bottom } = line.first;
  const text = line.text.trim();
  const isInMargin = bottom > page.height * (1 - MARGIN_SHARE) || top < page.height * MARGIN_SHARE;
  if (isInMargin && PAGE_NUMBER.test(text)) return true;
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
