import { rowCuts } from './row-cuts.ts';
import { type Box, type PdfWord, type RuledLine, joinWords, type PdfTable } from './page.ts';

/** Lines within this many points of each other coincide or meet. */
const TOLERANCE = 3;
/** Longer texts are in boxes of the page layout. */
const MAX_CELL_LENGTH = 600;
const MAX_CELLS = 5_000;
const MAX_REPEATED_LENGTH = 60;
/** With a smaller share of borders between grid slots, the lines are boxes that decorate the page. */
const MIN_BORDER_SHARE = 0.55;

/** Finds tables by their ruled lines: horizontal and vertical ones that form a grid of at least two by two cells. */
export function findRuledTables(ruledLines: readonly RuledLine[], words: readonly PdfWord[]): PdfTable[] {
  if (ruledLines.length < 4) return [];
  const horizontal = ruledLines.filter(({ isHorizontal }) => isHorizontal).length;
  if (horizontal < 2 || ruledLines.length - horizontal < 2) return [];
  const tables = groupMeetingLines(ruledLines)
    .map((group) => tableOf(group, words))
    .filter((table) => table !== null);
  // A table inside a cell belongs to that cell.
  return tables.filter((table) => !tables.some((other) => other !== table && isInside(table.box, other.box)));
}

function isInside(inner: Box, outer: Box): boolean {
  const isWithin = inner.left >= outer.left && inner.right <= outer.right && inner.top <= outer.top;
  return isWithin && inner.bottom >= outer.bottom;
}

/** Groups of lines that meet one another, directly or through others. */
function groupMeetingLines(ruledLines: readonly RuledLine[]): RuledLine[][] {
  const horizontal = ruledLines.filter((line) => line.isHorizontal);
  const vertical = ruledLines.filter((line) => !line.isHorizontal);
  const groupOf = new Map<RuledLine, RuledLine[]>(ruledLines.map((line) => [line, [line]]));
  for (const across of horizontal) {
    for (const down of vertical) {
      const [a, b] = [groupOf.get(across), groupOf.get(down)];
      if (!a || !b || a === b || !linesMeet(across, down)) continue;
      const [large, small] = a.length >= b.length ? [a, b] : [b, a];
      large.push(...small);
      for (const line of small) groupOf.set(line, large);
    }
  }
  return [...new Set(groupOf.values())];
}

function linesMeet(across: RuledLine, down: RuledLine): boolean {
  return (
    down.position >= across.start - TOLERANCE &&
    down.position <= across.end + TOLERANCE &&
    across.position >= down.start - TOLERANCE &&
    across.position <= down.end + TOLERANCE
  );
}

function tableOf(group: readonly RuledLine[], words: readonly PdfWord[]): PdfTable | null {
  const across = group.filter((line) => line.isHorizontal);
  const down = group.filter((line) => !line.isHorizontal);
  if (across.length < 2 || down.length < 2) return null;
  // Many tables have no lines at their sides.
  const ys = distinctPositions([...across.map(({ position }) => position), ...endsOf(down)]).reverse();
  const xs = distinctPositions([...down.map(({ position }) => position), ...endsOf(across)]);
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 2 || rows < 2 || columns * rows > MAX_CELLS) return null;
  const box = { left: xs[0] ?? 0, right: xs.at(-1) ?? 0, top: ys[0] ?? 0, bottom: ys.at(-1) ?? 0 };
  if (findCellBorders({ across, down, xs, ys }).share < MIN_BORDER_SHARE) return null;
  const inside = words.filter(
    ({ left, right, top, bottom }) => right >= box.left && left <= box.right && bottom <= box.top && top >= box.bottom,
  );
  const used = new Set(placeWords(inside, xs, ys).flat(2));
  const grid = withoutEmptyRowsAndColumns(cellTexts({ across, down, xs, ys }, inside));
  const texts = grid.flat().filter((text) => text !== '');
  const isTable = grid.length >= 2 && (grid[0]?.length ?? 0) >= 2 && texts.length * 3 >= grid.flat().length;
  return isTable && texts.every((text) => text.length <= MAX_CELL_LENGTH) ? { box, grid, words: used } : null;
}

/** The words by row and column, whose edges are given. */
function placeWords(words: readonly PdfWord[], xs: readonly number[], ys: readonly number[]): PdfWord[][][] {
  const cells = ys.slice(1).map(() => xs.slice(1).map((): PdfWord[] => []));
  for (const word of words) {
    const column = slotOf(xs, (word.left + word.right) / 2);
    const row = slotOf(ys, (word.top + word.bottom) / 2);
    cells[row]?.[column]?.push(word);
  }
  return cells;
}

/** The texts of the cells, with the rows that no rule separates. */
function cellTexts({ across, down, xs, ys }: Grid, words: readonly PdfWord[]): string[][] {
  const cuts = rowCuts(placeWords(words, xs, ys), xs);
  const [start = 0, end = 0] = [xs[0], xs.at(-1)];
  const rules = [...across, ...cuts.map((position) => ({ isHorizontal: true, position, start, end }))];
  const cut = { across: rules, down, xs, ys: [...ys, ...cuts].sort((a, b) => b - a) };
  return mergedCellTexts(placeWords(words, xs, cut.ys), findCellBorders(cut));
}

type Grid = { across: readonly RuledLine[]; down: readonly RuledLine[]; xs: readonly number[]; ys: readonly number[] };
type CellBorders = {
  /** Whether there is a line between a grid slot and the one to its right, or the one below it. */
  right: boolean[][];
  below: boolean[][];
  /** Share of the borders between two slots that have a line; the smaller of both directions. */
  share: number;
};

function findCellBorders({ across, down, xs, ys }: Grid): CellBorders {
  const middles = (bounds: readonly number[]): number[] =>
    bounds.slice(1).map((bound, index) => (bound + (bounds[index] ?? bound)) / 2);
  const [columnMiddles, rowMiddles] = [middles(xs), middles(ys)];
  const right = rowMiddles.map((y) => xs.slice(1, -1).map((x) => hasBorder(down, x, y)));
  const below = ys.slice(1, -1).map((y) => columnMiddles.map((x) => hasBorder(across, y, x)));
  const shareOf = (flags: boolean[][]): number =>
    flags.flat().filter(Boolean).length / Math.max(1, flags.flat().length);
  return { right, below, share: Math.min(shareOf(right), shareOf(below)) };
}

function hasBorder(ruledLines: readonly RuledLine[], at: number, middle: number): boolean {
  return ruledLines.some(
    (line) => Math.abs(line.position - at) <= TOLERANCE && line.start <= middle && middle <= line.end,
  );
}

/**
 * The texts of the cells. Slots without a line between them are one merged cell; a short text is repeated in each of
 * its slots, so that every row is understood by itself.
 */
function mergedCellTexts(cells: readonly PdfWord[][][], { right, below }: CellBorders): string[][] {
  const texts = cells.map((row) => row.map(() => ''));
  const seen = cells.map((row) => row.map(() => false));
  for (const [y, row] of cells.entries()) {
    for (const x of row.keys()) {
      if (seen[y]?.[x]) continue;
      const members = [{ x, y }];
      const slots: { x: number; y: number }[] = [];
      for (const slot of members) {
        const line = seen[slot.y];
        if (!line || line[slot.x] !== false) continue;
        line[slot.x] = true;
        slots.push(slot);
        if (right[slot.y]?.[slot.x] === false) members.push({ x: slot.x + 1, y: slot.y });
        if (right[slot.y]?.[slot.x - 1] === false) members.push({ x: slot.x - 1, y: slot.y });
        if (below[slot.y]?.[slot.x] === false) members.push({ x: slot.x, y: slot.y + 1 });
        if (below[slot.y - 1]?.[slot.x] === false) members.push({ x: slot.x, y: slot.y - 1 });
      }
      const text = joinWords(slots.flatMap((slot) => cells[slot.y]?.[slot.x] ?? []));
      const places = text.length <= MAX_REPEATED_LENGTH ? slots : slots.slice(0, 1);
      for (const slot of places) (texts[slot.y] ?? [])[slot.x] = text;
    }
  }
  return texts;
}

/** The least start and the greatest end. A drawing can have thousands of lines: a loop is several times faster than lists of both. */
function endsOf(ruledLines: readonly RuledLine[]): number[] {
  let [least, most] = [Infinity, -Infinity];
  for (const { start, end } of ruledLines) {
    if (start < least) least = start;
    if (end > most) most = end;
  }
  return [least, most];
}

/** Distinct positions, ascending. */
function distinctPositions(all: readonly number[]): number[] {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted.filter((at, index) => index === 0 || at - (sorted[index - 1] ?? 0) > TOLERANCE);
}

/** The index of the pair of bounds, ascending or descending, that encloses the position; -1 outside. */
function slotOf(bounds: readonly number[], at: number): number {
  for (let index = 0; index + 1 < bounds.length; index += 1) {
    const [a = 0, b = 0] = [bounds[index], bounds[index + 1]];
    if (at >= Math.min(a, b) && at < Math.max(a, b)) return index;
  }
  return -1;
}

/** Rows and columns without any text are gaps between double lines. */
function withoutEmptyRowsAndColumns(grid: readonly string[][]): string[][] {
  const rows = grid.filter((row) => row.some((text) => text !== ''));
  const isUsed = (column: number): boolean => rows.some((row) => row[column] !== '');
  return rows.map((row) => row.filter((_, column) => isUsed(column)));
}
