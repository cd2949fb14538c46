import type { Box, PdfWord } from './pdfium-page.ts';
import type { Rule } from './pdfium-rules.ts';
import { cellText, type FoundTable } from './pdf-table.ts';

/** Rules this near to one another are one, or meet. */
const NEAR = 3;
const MAX_RULES = 2_000;
/** Longer texts stand in boxes of a page's layout. */
const MAX_CELL_LENGTH = 600;
const MAX_CELLS = 5_000;
const MAX_REPEATED_LENGTH = 60;
/** Fewer rules than this between slots: boxes that decorate a page. */
const MIN_CUT_SHARE = 0.55;

/** Tables told by their ruled lines: horizontal and vertical ones that meet in a grid of at least two by two cells. */
export function findRuledTables(rules: readonly Rule[], words: readonly PdfWord[]): FoundTable[] {
  if (rules.length < 4 || rules.length > MAX_RULES) return [];
  const tables = meetingRules(joinedRules(rules))
    .map((group) => tableOf(group, words))
    .filter((table) => table !== null);
  // What stands in a table within a cell is in the cell.
  return tables.filter((table) => !tables.some((other) => other !== table && isInside(table.box, other.box)));
}

function isInside(inner: Box, outer: Box): boolean {
  const isWithin = inner.left >= outer.left && inner.right <= outer.right && inner.top <= outer.top;
  return isWithin && inner.bottom >= outer.bottom;
}

/** Rules drawn in pieces, put together. */
function joinedRules(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  const sorted = rules.toSorted(
    (a, b) => Number(a.isHorizontal) - Number(b.isHorizontal) || Math.round(a.at) - Math.round(b.at) || a.from - b.from,
  );
  for (const rule of sorted) {
    const last = joined.at(-1);
    const isSame = last && last.isHorizontal === rule.isHorizontal && Math.round(last.at) === Math.round(rule.at);
    if (last && isSame && rule.from <= last.to + NEAR) last.to = Math.max(last.to, rule.to);
    else joined.push({ ...rule });
  }
  return joined;
}

/** Groups of rules that meet one another, directly or through others. */
function meetingRules(rules: readonly Rule[]): Rule[][] {
  const horizontal = rules.filter((rule) => rule.isHorizontal);
  const vertical = rules.filter((rule) => !rule.isHorizontal);
  const groupOf = new Map<Rule, Rule[]>(rules.map((rule) => [rule, [rule]]));
  for (const across of horizontal) {
    for (const down of vertical) {
      const [a, b] = [groupOf.get(across), groupOf.get(down)];
      if (!a || !b || a === b || !doMeet(across, down)) continue;
      const [large, small] = a.length >= b.length ? [a, b] : [b, a];
      large.push(...small);
      for (const rule of small) groupOf.set(rule, large);
    }
  }
  return [...new Set(groupOf.values())];
}

function doMeet(across: Rule, down: Rule): boolean {
  return (
    down.at >= across.from - NEAR &&
    down.at <= across.to + NEAR &&
    across.at >= down.from - NEAR &&
    across.at <= down.to + NEAR
  );
}

function tableOf(group: readonly Rule[], words: readonly PdfWord[]): FoundTable | null {
  const across = group.filter((rule) => rule.isHorizontal);
  const down = group.filter((rule) => !rule.isHorizontal);
  if (across.length < 2 || down.length < 2) return null;
  // Many tables have no rules at their sides.
  const ys = positions([...across.map(({ at }) => at), ...endsOf(down)]).reverse();
  const xs = positions([...down.map(({ at }) => at), ...endsOf(across)]);
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 2 || rows < 2 || columns * rows > MAX_CELLS) return null;
  const box = { left: xs[0] ?? 0, right: xs.at(-1) ?? 0, top: ys[0] ?? 0, bottom: ys.at(-1) ?? 0 };
  const cuts = cutsOf({ across, down, xs, ys });
  if (cuts.share < MIN_CUT_SHARE) return null;
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, (): PdfWord[] => []));
  const used = new Set<PdfWord>();
  for (const word of words) {
    if (word.right < box.left || word.left > box.right || word.bottom > box.top || word.top < box.bottom) continue;
    const column = slotOf(xs, (word.left + word.right) / 2);
    const row = slotOf(ys, (word.top + word.bottom) / 2);
    const cell = cells[row]?.[column];
    if (!cell) continue;
    cell.push(word);
    used.add(word);
  }
  const grid = withoutEmpty(textsOf(cells, cuts));
  const texts = grid.flat().filter((text) => text !== '');
  const isTable = grid.length >= 2 && (grid[0]?.length ?? 0) >= 2 && texts.length * 3 >= grid.flat().length;
  return isTable && texts.every((text) => text.length <= MAX_CELL_LENGTH) ? { box, grid, used } : null;
}

type Grid = { across: readonly Rule[]; down: readonly Rule[]; xs: readonly number[]; ys: readonly number[] };
type Cuts = {
  /** Is there a rule between this slot and the one to its right, and below it? */
  right: boolean[][];
  below: boolean[][];
  /** Of the places between two slots, that have a rule; the smaller of both directions. */
  share: number;
};

function cutsOf({ across, down, xs, ys }: Grid): Cuts {
  const middles = (bounds: readonly number[]): number[] =>
    bounds.slice(1).map((bound, index) => (bound + (bounds[index] ?? bound)) / 2);
  const [columnMiddles, rowMiddles] = [middles(xs), middles(ys)];
  const right = rowMiddles.map((y) => xs.slice(1, -1).map((x) => isCut(down, x, y)));
  const below = ys.slice(1, -1).map((y) => columnMiddles.map((x) => isCut(across, y, x)));
  const shareOf = (flags: boolean[][]): number =>
    flags.flat().filter(Boolean).length / Math.max(1, flags.flat().length);
  return { right, below, share: Math.min(shareOf(right), shareOf(below)) };
}

function isCut(rules: readonly Rule[], at: number, middle: number): boolean {
  return rules.some((rule) => Math.abs(rule.at - at) <= NEAR && rule.from <= middle && middle <= rule.to);
}

/** Slots without a rule between them are one cell; a short text is repeated in each, so that every row says what it is about. */
function textsOf(cells: readonly PdfWord[][][], { right, below }: Cuts): string[][] {
  const texts = cells.map((row) => row.map(() => ''));
  const seen = cells.map((row) => row.map(() => false));
  for (const [y, row] of cells.entries()) {
    for (const x of row.keys()) {
      if (seen[y]?.[x]) continue;
      const members = [{ x, y }];
      for (const slot of members) {
        const line = seen[slot.y];
        if (!line || line[slot.x]) continue;
        line[slot.x] = true;
        if (right[slot.y]?.[slot.x] === false) members.push({ x: slot.x + 1, y: slot.y });
        if (right[slot.y]?.[slot.x - 1] === false) members.push({ x: slot.x - 1, y: slot.y });
        if (below[slot.y]?.[slot.x] === false) members.push({ x: slot.x, y: slot.y + 1 });
        if (below[slot.y - 1]?.[slot.x] === false) members.push({ x: slot.x, y: slot.y - 1 });
      }
      const slots = members.filter(
        (slot, index) => members.findIndex((o) => o.x === slot.x && o.y === slot.y) === index,
      );
      const text = cellText(slots.flatMap((slot) => cells[slot.y]?.[slot.x] ?? []));
      const places = text.length <= MAX_REPEATED_LENGTH ? slots : slots.slice(0, 1);
      for (const slot of places) (texts[slot.y] ?? [])[slot.x] = text;
    }
  }
  return texts;
}

function endsOf(rules: readonly Rule[]): number[] {
  return [Math.min(...rules.map(({ from }) => from)), Math.max(...rules.map(({ to }) => to))];
}

/** Distinct positions, ascending. */
function positions(all: readonly number[]): number[] {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted.filter((at, index) => index === 0 || at - (sorted[index - 1] ?? 0) > NEAR);
}

/** Between which two of the bounds, ascending or descending, it lies; -1 outside. */
function slotOf(bounds: readonly number[], at: number): number {
  for (let index = 0; index + 1 < bounds.length; index += 1) {
    const [a = 0, b = 0] = [bounds[index], bounds[index + 1]];
    if (at >= Math.min(a, b) && at < Math.max(a, b)) return index;
  }
  return -1;
}

/** Rows and columns without any text are gaps between double lines. */
function withoutEmpty(grid: readonly string[][]): string[][] {
  const rows = grid.filter((row) => row.some((text) => text !== ''));
  const isUsed = (column: number): boolean => rows.some((row) => row[column] !== '');
  return rows.map((row) => row.filter((_, column) => isUsed(column)));
}
