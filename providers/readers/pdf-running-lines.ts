import type { PdfLine } from './pdfium.ts';

/** Lines at this many heights from the top, and from the bottom, may be running ones. */
const EDGE_HEIGHTS = 2;
const MIN_REPEATS = 3;
/** Of the pages; left and right pages and chapters have headers of their own. */
const MIN_SHARE = 0.1;

/**
 * Drops running headers and footers: lines at the edge of a page that stand, but for their numbers, at the edge of
 * several pages. The first of each stays, so no word is lost.
 */
export function withoutRunningLines(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const edges = pages.map(edgeLines);
  const repeats = new Map<string, number>();
  for (const lines of edges)
    for (const key of new Set([...lines].map(keyOf))) repeats.set(key, (repeats.get(key) ?? 0) + 1);
  const needed = Math.max(MIN_REPEATS, pages.length * MIN_SHARE);
  const seen = new Set<string>();
  return pages.map((lines, page) =>
    lines.filter((line) => {
      const key = keyOf(line);
      if (!edges[page]?.has(line) || (repeats.get(key) ?? 0) < needed) return true;
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst;
    }),
  );
}

function edgeLines(lines: readonly PdfLine[]): Set<PdfLine> {
  const heights = [...new Set(lines.map((line) => Math.round(line.first.bottom)))].sort((a, b) => a - b);
  const outer = new Set([...heights.slice(0, EDGE_HEIGHTS), ...heights.slice(-EDGE_HEIGHTS)]);
  return new Set(lines.filter((line) => outer.has(Math.round(line.first.bottom))));
}

/** The line with its numbers taken out: page and chapter numbers change. */
function keyOf({ text }: PdfLine): string {
  return text
    .trim()
    .replace(/\d+/g, '#')
    .replace(/^[ivxlc]+$/i, '#');
}
