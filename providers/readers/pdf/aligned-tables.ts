import { joinWords, type PdfTable, type Box, type PdfLine, type PdfWord } from './page.ts';

/** A horizontal gap of more than this many word heights separates two cells. */
const CELL_GAP_HEIGHTS = 0.9;
/** Between rules, where text can only be a table. */
const RULED_CELL_GAP_HEIGHTS = 0.4;
/** Mean length of the longer cells of a table of names and explanations. */
const MAX_MEAN_EXPLANATION = 45;
const MARKER = /^(?:[^\p{L}\p{N}]+|[(]?[\da-zA-Z]{1,3}(?:\.\d+)*[.)]|\d+(?:\.\d+)+|\[\w{1,6}\])$/u;
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
const DOT_LEADER = /(?:\.\s?){5,}|…{2,}/;

type Row = Box & { words: PdfWord[]; cells: PdfWord[][] };
type Columns = readonly { left: number; right: number }[];

/**
 * Finds tables without ruled lines: three or more successive rows of short cells that are aligned in columns. Between horizontal
 * rules (`isRuled`) cells may be longer and closer to one another.
 */
export function findAlignedTables(lines: readonly PdfLine[], isRuled = false): PdfTable[] {
  const words = lines.filter(({ text }) => !DOT_LEADER.test(text)).flatMap((line) => line.words);
  const rows = rowsOf(words, isRuled ? RULED_CELL_GAP_HEIGHTS : CELL_GAP_HEIGHTS);
  if (lines.some(({ isRightToLeft }) => isRightToLeft)) restoreWordOrder(rows, words);
  const tables: PdfTable[] = [];
  for (const region of regionsOf(rows)) {
    const table = tableOf(region, isRuled);
    if (table) tables.push(table);
  }
  return tables;
}

/** Groups words of the same height into rows, top down, and splits each row into cells at wide gaps. */
function rowsOf(words: readonly PdfWord[], gapHeights: number): Row[] {
  const rows: PdfWord[][] = [];
  const byHeight = words.toSorted((a, b) => verticalCenter(b) - verticalCenter(a));
  let current: PdfWord[] = [];
  for (const word of byHeight) {
    const [first] = current;
    if (first && verticalCenter(first) - verticalCenter(word) <= Math.min(heightOf(first), heightOf(word)) * 0.4)
      current.push(word);
    else rows.push((current = [word]));
  }
  return rows.map((row) => {
    const sorted = row.toSorted((a, b) => a.left - b.left);
    return { ...boundingBox(sorted), words: sorted, cells: cellsOf(sorted, gapHeights) };
  });
}

/** Texts from right to left keep the order of reading; `cells` are by place. */
function restoreWordOrder(rows: readonly Row[], words: readonly PdfWord[]): void {
  const places = new Map(words.map((word, index) => [word, index]));
  for (const row of rows) row.words.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

function cellsOf(words: readonly PdfWord[], gapHeights: number): PdfWord[][] {
  const cells: PdfWord[][] = [];
  let right = -Infinity;
  for (const word of words) {
    if (word.left - right > heightOf(word) * gapHeights) cells.push([word]);
    else cells.at(-1)?.push(word);
    right = Math.max(right, word.right);
  }
  return cells;
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

function meanLength(cells: readonly (readonly PdfWord[])[]): number {
  return cells.reduce((sum, cell) => sum + joinWords(cell).length, 0) / Math.max(1, cells.length);
}

/** Whether rows between rules are no list: a list of two columns has markers in the first one. */
function areCells(rows: readonly Row[], columns: number): boolean {
  return columns > 2 || !hasMarkers(rows);
}

function hasMarkers(rows: readonly Row[]): boolean {
  return rows.some(({ cells: [first] }) => first && MARKER.test(joinWords(first)));
}

/** Whether the cells are short, or those of the first of two columns are names of what the second one explains. */
function hasShortCells(rows: readonly Row[], columns: number): boolean {
  const mean = meanLength(rows.flatMap(({ cells }) => cells));
  if (columns > 2) return mean <= MAX_MEAN_CELL_LENGTH;
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

/** The words of a row by column: the column that contains the center of the word, else the nearest one. */
function assignToColumns({ words }: Row, columns: Columns): PdfWord[][] {
  const cells = columns.map((): PdfWord[] => []);
  for (const word of words) {
    const x = (word.left + word.right) / 2;
    const distances = columns.map(({ left, right }) => Math.max(left - x, x - right, 0));
    cells[distances.indexOf(Math.min(...distances))]?.push(word);
  }
  return cells;
}

/** Merges rows that have an empty first cell and stand close below another row into that row. */
function mergeWrappedRows(rows: readonly { row: Row; cells: PdfWord[][] }[]): string[][] {
  const grid: string[][] = [];
  let above: Row | null = null;
  for (const { row, cells } of rows) {
    const texts = cells.map(joinWords);
    const last = grid.at(-1);
    const filled = texts.filter((text) => text !== '').length;
    const isNear = above !== null && above.bottom - row.top < heightOf(row) * 0.35;
    if (last && isNear && texts[0] === '' && filled < last.filter((text) => text !== '').length) {
      for (const [column, text] of texts.entries()) last[column] = `${last[column] ?? ''} ${text}`.trim();
    } else grid.push(texts);
    above = row;
  }
  return grid;
}

function boundingBox(boxes: readonly Box[]): Box {
  const box = { left: Infinity, right: -Infinity, top: -Infinity, bottom: Infinity };
  for (const { left, right, top, bottom } of boxes) {
    box.left = Math.min(box.left, left);
    box.right = Math.max(box.right, right);
    box.top = Math.max(box.top, top);
    box.bottom = Math.min(box.bottom, bottom);
  }
  return box;
}

function verticalCenter({ top, bottom }: Box): number {
  return (top + bottom) / 2;
}

function heightOf({ top, bottom }: Box): number {
  return Math.max(1, top - bottom);
}
