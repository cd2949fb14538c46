import type { PdfTable } from './page.ts';
import { isTable, type PageItem } from './page-items.ts';

/** The elements of a page in reading order. */
export type PlacedItems = { height: number; items: readonly PageItem[] };

/** Running headers and footers are within this share of the height from an edge, and are this many lines at most. */
const EDGE_SHARE = 0.12;
const MAX_RUNNING_LINES = 3;
/** A table above more empty space than this share of the height has ended. */
const MAX_SPACE_SHARE = 0.3;
/** Largest difference between the left edges of two parts of a table, in points. */
const MAX_SHIFT = 4;
/** The same of the right ones, as a share of the width: without rules the table ends where its longest text does. */
const MAX_WIDTH_DIFFERENCE = 0.1;
const MAX_HEADER_ROWS = 3;

/**
 * Marks tables that continue the table at the end of the page before: at the top of their page, with the same columns in the same
 * place. Rows of the header that are repeated are left out. Lines of running headers and footers between the parts are moved before
 * the first and behind the second part, so that the rows follow one another.
 */
export function markContinuedTables(pages: readonly PlacedItems[]): PageItem[][] {
  const marked = pages.map(({ items }) => [...items]);
  let start: PdfTable | null = null;
  for (const [index, page] of pages.entries()) {
    const [before, items] = [marked[index - 1] ?? [], marked[index] ?? []];
    const above = lastTable(before, pages[index - 1]?.height ?? 0);
    const below = firstTable(items, page.height);
    if (!above || !below || !isContinued(above, below, page.height)) continue;
    if (start === null || !above.isContinuation) start = above;
    const repeated = countRepeatedRows(start.grid, below.grid);
    moveTo(before, above, { at: before.length - 1 });
    moveTo(items, below, { at: 0, as: { ...below, grid: below.grid.slice(repeated), isContinuation: true } });
  }
  return marked;
}

/** The table at the end of a page, but for running lines. */
function lastTable(items: readonly PageItem[], height: number): PdfTable | null {
  const place = items.findLastIndex(isTable);
  const table = items[place];
  if (!table || !isTable(table) || table.box.bottom > height * MAX_SPACE_SHARE) return null;
  return areRunningLines(items.slice(place + 1), table, height) ? table : null;
}

/** The table at the top of a page, but for running lines. */
function firstTable(items: readonly PageItem[], height: number): PdfTable | null {
  const place = items.findIndex(isTable);
  const table = items[place];
  if (!table || !isTable(table)) return null;
  return areRunningLines(items.slice(0, place), table, height) ? table : null;
}

/** Whether these are few lines at the edges of the page, above or below the table: browsers draw both behind the text. */
function areRunningLines(items: readonly PageItem[], { box }: PdfTable, height: number): boolean {
  const [top, bottom] = [Math.max(box.top, height * (1 - EDGE_SHARE)), Math.min(box.bottom, height * EDGE_SHARE)];
  const isAtEdge = (item: PageItem): boolean => !isTable(item) && (item.last.bottom >= top || item.first.top <= bottom);
  return items.length <= MAX_RUNNING_LINES && items.every(isAtEdge);
}

function isContinued(above: PdfTable, below: PdfTable, height: number): boolean {
  const columnsOf = ({ grid }: PdfTable): number => grid[0]?.length ?? 0;
  const width = above.box.right - above.box.left;
  if (columnsOf(above) !== columnsOf(below) || below.box.top < height * (1 - MAX_SPACE_SHARE)) return false;
  const isMoved = Math.abs(above.box.left - below.box.left) > MAX_SHIFT;
  return !isMoved && Math.abs(above.box.right - below.box.right) <= width * MAX_WIDTH_DIFFERENCE;
}

/** How many rows at the beginning are those of the header. */
function countRepeatedRows(header: readonly (readonly string[])[], rows: readonly (readonly string[])[]): number {
  const isSame = (row: readonly string[], other: readonly string[] | undefined): boolean =>
    row.every((cell, column) => cell === other?.[column]);
  const different = rows.findIndex((row, index) => index === MAX_HEADER_ROWS || !isSame(row, header[index]));
  return different === -1 ? rows.length : different;
}

function moveTo(items: PageItem[], table: PdfTable, { at, as = table }: { at: number; as?: PdfTable }): void {
  items.splice(items.indexOf(table), 1);
  items.splice(at, 0, as);
}
