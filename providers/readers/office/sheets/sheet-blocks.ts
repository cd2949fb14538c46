import { countTitleRows, type FilledRow, SAMPLE_ROWS } from '#providers/readers/shared/title-rows.ts';
import { markdownTable } from '#providers/readers/shared/markdown-table.ts';

/** Wider tables are rendered as records, one `header: value` per line. */
const MAX_TABLE_COLUMNS = 16;
const MAX_ROW_LENGTH = 400;
/** A sheet with more cells is one table: a data list. */
const MAX_SPLIT_CELLS = 200_000;

type Cell = { x: number; text: string };
/** The filled cells of a block, by row. Blocks may be wide and nearly empty, so that not even empty cells are counted. */
type Region = Cell[][];

/**
 * Renders the blocks of filled cells of a sheet, top down: their titles as paragraphs, narrow ones as Markdown tables, wide ones
 * as records.
 */
export function* sheetBlocks(cells: SheetCells): Generator<string> {
  for (const region of regionsOf(cells)) {
    const firstColumn = region.reduce((least, row) => Math.min(least, row[0]?.x ?? least), Number.POSITIVE_INFINITY);
    const titles = countTitleRows(region.slice(0, SAMPLE_ROWS).map((row) => filledRow(row, firstColumn)));
    for (const row of region.slice(0, titles)) yield filledRow(row, firstColumn).texts.join(' ');
    yield tableOf(region.slice(titles));
  }
}

/** A text that is repeated in each column is that of one merged cell. */
function filledRow(row: readonly Cell[], firstColumn: number): FilledRow {
  const texts = row.map(({ text }) => text);
  const isMerged = texts.every((text) => text === texts[0]);
  return { texts: isMerged ? texts.slice(0, 1) : texts, isFirstFilled: row[0]?.x === firstColumn };
}

function tableOf(rows: Region): string {
  const columns = ascending(rows.flatMap((row) => row.map(({ x }) => x)));
  const length = rows.flat().reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, rows.length);
  const isNarrow = columns.length <= MAX_TABLE_COLUMNS && length <= MAX_ROW_LENGTH;
  if (!isNarrow && rows.length > 1) return recordsOf(rows);
  const [firstRow = []] = rows;
  // One cell, or a merged one.
  if (rows.length === 1 && new Set(firstRow.map(({ text }) => text)).size === 1) return firstRow[0]?.text ?? '';
  return markdownTable(
    rows.map((row) => {
      const texts = new Map(row.map(({ x, text }) => [x, text]));
      return columns.map((x) => texts.get(x) ?? '');
    }),
  );
}

function recordsOf([header = [], ...rows]: Region): string {
  const names = new Map(header.map(({ x, text }) => [x, text]));
  const line = ({ x, text }: Cell): string => (names.has(x) ? `${names.get(x)}: ${text}` : text);
  return rows.map((row) => row.map(line).join('\n')).join('\n\n');
}

/** Cells that touch, also at a corner, form a block; empty rows and columns separate blocks. */
function regionsOf(cells: SheetCells): Region[] {
  const total = [...cells.values()].reduce((sum, line) => sum + line.size, 0);
  if (total === 0) return [];
  if (total > MAX_SPLIT_CELLS) return [wholeRegion(cells)];
  const regions: Region[] = [];
  const seen = new Set<string>();
  for (const [y, line] of [...cells].sort(([a], [b]) => a - b)) {
    for (const x of [...line.keys()].sort((a, b) => a - b)) {
      const members = connectedCells({ x, y }, cells, seen);
      if (members.length > 0) regions.push(regionOf(members, cells));
    }
  }
  return regions;
}

type Place = { x: number; y: number };

function connectedCells(start: Place, cells: SheetCells, seen: Set<string>): Place[] {
  const members: Place[] = [];
  const queue = [start];
  for (let place = queue.pop(); place; place = queue.pop()) {
    const key = `${place.x},${place.y}`;
    if (seen.has(key) || !cells.get(place.y)?.has(place.x)) continue;
    seen.add(key);
    members.push(place);
    for (const dy of [-1, 0, 1]) for (const dx of [-1, 0, 1]) queue.push({ x: place.x + dx, y: place.y + dy });
  }
  return members;
}

function wholeRegion(cells: SheetCells): Region {
  return ascending(cells.keys()).map((y) => rowOf(cells, y, cells.get(y)?.keys() ?? []));
}

function regionOf(members: readonly Place[], cells: SheetCells): Region {
  const rows = Map.groupBy(members, ({ y }) => y);
  return ascending(rows.keys()).map((y) =>
    rowOf(
      cells,
      y,
      (rows.get(y) ?? []).map(({ x }) => x),
    ),
  );
}

function rowOf(cells: SheetCells, y: number, columns: Iterable<number>): Cell[] {
  return ascending(columns).map((x) => ({ x, text: cells.get(y)?.get(x) ?? '' }));
}

function ascending(values: Iterable<number>): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Filled cells by row, then column, both counted from 0, in ascending order. */
export type SheetCells = ReadonlyMap<number, ReadonlyMap<number, string>>;
