import { LIST_MARKER } from './list-indents.ts';
import { joinWords, type PdfTable } from './page.ts';
import {
  assignToColumns,
  boundingBox,
  heightOf,
  meanLength,
  mergeWrappedRows,
  type Columns,
  type Row,
} from './table-rows.ts';

/** Mean length of the longer cells of a table of names and explanations. */
const MAX_MEAN_EXPLANATION = 45;
/** What begins an item of a list, by itself. */
export const MARKER = /^(?:[^\p{L}\p{N}]+|[(]?[\da-zA-Z]{1,3}(?:\.\d+)*[.)]|\d+(?:\.\d+)+|\[\w{1,6}\])$/u;
/** A vertical gap of more than this many row heights separates two tables. */
const ROW_GAP_HEIGHTS = 2.6;
const MIN_ROWS = 3;
/** Share of the rows that may cross a gap between columns: spanning headers. */
const MAX_CROSSING_SHARE = 0.2;
/** A longer mean cell length indicates a column of running text. */
const MAX_MEAN_CELL_LENGTH = 22;
/** A longer row of one cell does not continue a cell above. */
const MAX_WRAPPED_LENGTH = 60;
const MIN_FILLED_SHARE = 0.5;

/**
 * Finds tables without ruled lines: three or more successive rows of short cells that are aligned in columns. Between horizontal
 * rules (`isRuled`) cells may be longer.
 */
export function findAlignedTables(rows: readonly Row[], isRuled = false): PdfTable[] {
  const tables: PdfTable[] = [];
  for (const region of regionsOf(rows)) {
    const table = tableOf(region, isRuled);
    if (table) tables.push(table);
  }
  return tables;
}

/**
 * Groups of adjacent rows that begin and end with a row of several cells; rows of one cell in between are wrapped
 * cells.
 */
function regionsOf(rows: readonly Row[]): Row[][] {
  const regions: Row[][] = [];
  let current: Row[] = [];
  const end = (): void => {
    while (current.length > 0 && (current.at(-1)?.cells.length ?? 0) < 2) current.pop();
    if (current.length >= MIN_ROWS) regions.push(current);
    current = [];
  };
  for (const row of rows) {
    const above = current.at(-1);
    if (above && above.bottom - row.top > heightOf(row) * (ROW_GAP_HEIGHTS - 1)) end();
    if (row.cells.length >= 2) {
      current.push(row);
      continue;
    }
    const singles = current.slice(-2).filter(({ cells }) => cells.length < 2).length;
    if (singles === 2 || isParagraphLine(row)) end();
    else if (current.length > 0) current.push(row);
  }
  end();
  return regions;
}

/** Whether the row is as long as a line of a paragraph. */
function isParagraphLine({ words }: Row): boolean {
  return words.reduce((length, { text }) => length + text.length + 1, -1) > MAX_WRAPPED_LENGTH;
}

function tableOf(region: readonly Row[], isRuled: boolean): PdfTable | null {
  const several = region.filter(({ cells }) => cells.length >= 2);
  if (several.length < MIN_ROWS || several.length < region.length * 0.6) return null;
  const columns = columnsOf(region);
  if (columns.length < 2) return null;
  // Justified text in a narrow column has wide gaps as well, but their number varies from line to line.
  const overfull = several.filter(({ cells: found }) => found.length > columns.length).length;
  if (overfull * 3 >= several.length * 2) return null;
  if (isRuled ? !areCells(several, columns.length) : !hasShortCells(several, columns.length)) return null;
  const grid = mergeWrappedRows(region.map((row) => ({ row, cells: assignToColumns(row, columns) })));
  const filled = grid.flat().filter((text) => text !== '').length;
  if (grid.length < 2 || filled < grid.flat().length * MIN_FILLED_SHARE) return null;
  return { box: boundingBox(region), grid, words: new Set(region.flatMap(({ words }) => words)) };
}

/** Whether rows between rules are no list: a list of two columns has markers in the first one. */
function areCells(rows: readonly Row[], columns: number): boolean {
  return columns > 2 || !hasMarkers(rows);
}

function hasMarkers(rows: readonly Row[]): boolean {
  return rows.some(({ cells: [first] }) => first && MARKER.test(joinWords(first)));
}

/** Whether the first cells are nothing but the markers of a list; rows of numbers such as `1.5`, and below `No.`, are no list. */
function isList(rows: readonly Row[]): boolean {
  return rows.every(({ cells: [first = []] }) => {
    const text = `${joinWords(first)} `;
    return LIST_MARKER.exec(text)?.[0] === text;
  });
}

/** Whether the cells are short, or those of the first of two columns are names of what the second one explains. */
function hasShortCells(rows: readonly Row[], columns: number): boolean {
  const mean = meanLength(rows.flatMap(({ cells }) => cells));
  if (columns > 2) return mean <= MAX_MEAN_CELL_LENGTH;
  if (isList(rows)) return false;
  if (mean <= MAX_MEAN_CELL_LENGTH * 0.7) return true;
  const hasNames = meanLength(rows.flatMap(({ cells }) => cells.slice(0, 1))) <= MAX_MEAN_CELL_LENGTH * 0.7;
  const hasExplanations = meanLength(rows.flatMap(({ cells }) => cells.slice(1))) <= MAX_MEAN_EXPLANATION;
  const isRegular = rows.length > MIN_ROWS && rows.every(({ cells }) => cells.length === 2);
  return isRegular && hasNames && hasExplanations && !hasMarkers(rows);
}

/** The horizontal extent of each column: the ranges between gaps that almost no row crosses. */
function columnsOf(rows: readonly Row[]): Columns {
  const { left, right } = boundingBox(rows);
  const width = Math.ceil(right - left) + 1;
  if (width > 5_000) return [];
  const covered = Array.from({ length: width }, () => 0);
  for (const row of rows) {
    for (const cell of row.cells) {
      const box = boundingBox(cell);
      const [from, to] = [Math.floor(box.left - left), Math.ceil(box.right - left)];
      for (let x = Math.max(0, from); x < Math.min(width, to); x += 1) covered[x] = (covered[x] ?? 0) + 1;
    }
  }
  const crossing = Math.floor(rows.length * MAX_CROSSING_SHARE);
  const columns: { left: number; right: number }[] = [];
  for (const [x, count] of covered.entries()) {
    const last = columns.at(-1);
    if (count <= crossing) continue;
    if (last && left + x - last.right < 3) last.right = left + x + 1;
    else columns.push({ left: left + x, right: left + x + 1 });
  }
  return columns;
}
