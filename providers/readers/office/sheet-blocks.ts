import { markdownTable } from '#providers/readers/shared/markdown-table.ts';

/** Wider tables are rendered as records, one `header: value` per line. */
const MAX_TABLE_COLUMNS = 16;
const MAX_ROW_LENGTH = 400;
/** A sheet with more cells is one table: a data list. */
const MAX_SPLIT_CELLS = 200_000;

type Region = { rows: number[]; columns: number[] };

/** Renders the blocks of filled cells of a sheet, top down: narrow ones as Markdown tables, wide ones as records. */
export function* sheetBlocks(cells: SheetCells): Generator<string> {
  for (const { rows, columns } of regionsOf(cells)) {
    const grid = rows.map((y) => columns.map((x) => cells.get(y)?.get(x) ?? ''));
    const length = grid.flat().reduce((sum, text) => sum + text.length, 0) / Math.max(1, grid.length);
    const isNarrow = columns.length <= MAX_TABLE_COLUMNS && length <= MAX_ROW_LENGTH;
    if (columns.length === 1 && grid.length === 1) yield grid[0]?.[0] ?? '';
    else if (isNarrow || grid.length < 2) yield markdownTable(grid);
    else yield recordsOf(grid);
  }
}

function recordsOf([header = [], ...rows]: readonly (readonly string[])[]): string {
  const record = (row: readonly string[]): string =>
    row
      .flatMap((value, index) => (value === '' ? [] : [header[index] ? `${header[index]}: ${value}` : value]))
      .join('\n');
  return rows.map(record).join('\n\n');
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
      if (members.length > 0) regions.push(regionOf(members));
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
  const columns = new Set<number>();
  for (const line of cells.values()) for (const x of line.keys()) columns.add(x);
  return { rows: ascending(cells.keys()), columns: ascending(columns) };
}

function regionOf(members: readonly Place[]): Region {
  return { rows: ascending(members.map(({ y }) => y)), columns: ascending(members.map(({ x }) => x)) };
}

function ascending(values: Iterable<number>): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Filled cells by row, then column, both counted from 0, in ascending order. */
export type SheetCells = ReadonlyMap<number, ReadonlyMap<number, string>>;
