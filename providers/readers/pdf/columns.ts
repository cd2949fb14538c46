import type { PdfLine } from './page.ts';

/** Shorter lines are ignored when text columns are located. */
const MIN_LENGTH = 12;
const MIN_LINES = 5;
/** Lines of a text column fill this share of its width on average; table cells do not. */
const MIN_MEAN_FILL = 0.55;
/** Share of the characters that may cross the gap between two columns: titles, wide tables. */
const MAX_CROSSING_SHARE = 0.4;
const MIN_GAP = 6;
const MAX_GUTTERS = 4;

/** Returns the column of a line, from 0, or -1 when the line spans several. */
export type ColumnOf = (line: PdfLine) => number;
type Extent = { left: number; right: number; top: number; bottom: number; length: number };

/** Finds columns of running text. On a page with one column every line is in column 0. */
export function findColumns(lines: readonly PdfLine[]): ColumnOf {
  const extents = new Map(lines.map((line) => [line, extentOf(line)]));
  const long = [...extents.values()].filter(({ length }) => length >= MIN_LENGTH);
  const gutters = findGutters(long).sort((a, b) => a - b);
  if (gutters.length === 0) return () => 0;
  const crossing = [...extents.values()].filter((extent) => gutters.some((x) => crossesGutter(extent, x)));
  const columns = new Map<PdfLine, number>();
  for (const [line, extent] of extents) {
    const middle = (extent.top + extent.bottom) / 2;
    const isInWideRow = crossing.some(({ top, bottom }) => bottom <= middle && middle <= top);
    columns.set(line, isInWideRow ? -1 : gutters.filter((x) => extent.left >= x).length);
  }
  return (line) => columns.get(line) ?? 0;
}

/**
 * The lines of a page in reading order: the order of the document, unless it jumps back up within a column. Then
 * columns are read from left to right (from right to left where most lines are), between the lines that span them, top down.
 */
export function sortByReadingOrder(lines: readonly PdfLine[], columnOf: ColumnOf): PdfLine[] {
  if (!jumpsBackUp(lines, columnOf)) return [...lines];
  const byHeight = (a: PdfLine, b: PdfLine): number => b.first.top - a.first.top || a.first.left - b.first.left;
  const wide = lines.filter((line) => columnOf(line) === -1).sort(byHeight);
  const isRightToLeft = lines.filter((line) => line.isRightToLeft).length * 2 > lines.length;
  const bandOf = (line: PdfLine): number => wide.filter((other) => other.first.bottom > line.first.bottom).length;
  const keyed = lines.map((line, index) => ({ line, index, band: bandOf(line), column: columnOf(line) }));
  keyed.sort(
    (a, b) =>
      a.band - b.band ||
      (a.column === -1 ? 1 : 0) - (b.column === -1 ? 1 : 0) ||
      (isRightToLeft ? b.column - a.column : a.column - b.column) ||
      (Math.abs(a.line.first.bottom - b.line.first.bottom) < 2 ? a.index - b.index : byHeight(a.line, b.line)),
  );
  return keyed.map(({ line }) => line);
}

function jumpsBackUp(lines: readonly PdfLine[], columnOf: ColumnOf): boolean {
  if (lines.every((line) => columnOf(line) === 0)) return false;
  let previous: PdfLine | null = null;
  for (const line of lines) {
    if (previous) {
      const height = line.first.top - line.first.bottom;
      const isAbove = line.first.bottom - previous.last.top > 3 * height;
      const [column, before] = [columnOf(line), columnOf(previous)];
      if (isAbove && (column === -1 || column < before || column === before)) return true;
    }
    previous = line;
  }
  return false;
}

/** Splits at the best gutter, then each side recursively. */
function findGutters(extents: readonly Extent[]): number[] {
  const x = findBestGutter(extents);
  if (x === null) return [];
  const left = findGutters(extents.filter(({ right }) => right <= x));
  const right = findGutters(extents.filter((extent) => extent.left >= x));
  return [...left, x, ...right].slice(0, MAX_GUTTERS);
}

function findBestGutter(extents: readonly Extent[]): number | null {
  if (extents.length < 2 * MIN_LINES) return null;
  const total = extents.reduce((sum, { length }) => sum + length, 0);
  let best: { x: number; score: number } | null = null;
  for (const x of new Set(extents.map(({ left }) => Math.floor(left) - 1))) {
    const { lines, characters, crossing } = measureSides(extents, x);
    if (lines < MIN_LINES || crossing > total * MAX_CROSSING_SHARE) continue;
    const score = characters - crossing;
    if (best && best.score >= score) continue;
    const left = extents.filter((extent) => extent.right <= x);
    const right = extents.filter((extent) => extent.left >= x);
    if (areColumns(left, right)) best = { x, score };
  }
  return best?.x ?? null;
}

function areColumns(left: readonly Extent[], right: readonly Extent[]): boolean {
  const [a, b] = [boundsOf(left), boundsOf(right)];
  const shared = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom);
  const isBeside = shared > 0.3 * Math.min(a.top - a.bottom, b.top - b.bottom);
  return (
    isBeside && b.left - a.right >= MIN_GAP && meanFill(left, a) >= MIN_MEAN_FILL && meanFill(right, b) >= MIN_MEAN_FILL
  );
}

function meanFill(extents: readonly Extent[], { left, right }: Extent): number {
  const widths = extents.reduce((sum, extent) => sum + extent.right - extent.left, 0);
  return widths / extents.length / Math.max(1, right - left);
}

/** Lines and characters on the side of x that has fewer of them, and the characters of lines that cross x. */
function measureSides(extents: readonly Extent[], x: number): { lines: number; characters: number; crossing: number } {
  let [linesLeft, linesRight, left, right, crossing] = [0, 0, 0, 0, 0];
  for (const extent of extents) {
    if (extent.right <= x) {
      linesLeft += 1;
      left += extent.length;
    } else if (extent.left >= x) {
      linesRight += 1;
      right += extent.length;
    } else crossing += extent.length;
  }
  return { lines: Math.min(linesLeft, linesRight), characters: Math.min(left, right), crossing };
}

function crossesGutter({ left, right }: Extent, x: number): boolean {
  return left < x && right > x;
}

function extentOf({ words, text }: PdfLine): Extent {
  return { ...boundsOf(words), length: text.length };
}

function boundsOf(boxes: readonly Omit<Extent, 'length'>[]): Extent {
  const box = { left: Infinity, right: -Infinity, top: -Infinity, bottom: Infinity, length: 0 };
  for (const { left, right, top, bottom } of boxes) {
    box.left = Math.min(box.left, left);
    box.right = Math.max(box.right, right);
    box.top = Math.max(box.top, top);
    box.bottom = Math.min(box.bottom, bottom);
  }
  return box;
}
