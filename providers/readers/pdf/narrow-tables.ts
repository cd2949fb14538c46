import { MARKER } from './aligned-tables.ts';
import { joinWords, type Box, type PdfTable, type PdfWord } from './page.ts';
import { assignToColumns, boundingBox, heightOf, meanLength, mergeWrappedRows, type Row } from './table-rows.ts';

/** Rows that have several cells; with a header in bold, fewer are enough. */
const [MIN_ROWS, MIN_ROWS_WITH_HEADER] = [4, 3];
/** Share of the rows that have several cells: the others are lines of wrapped cells. */
const MIN_SEVERAL_SHARE = 0.4;
/** Width of a gap between columns: in points, and in row heights. A space is a fifth of one. */
const [MIN_GAP, MIN_GAP_HEIGHTS] = [3, 0.26];
/** Lines that overlap more than this share of their height are in one row: short cells stand in the middle of wrapped ones. */
const MIN_OVERLAP = 0.25;
/** A vertical gap of more than this many row heights ends a table. */
const MAX_ROW_GAP = 1.6;
/** Largest difference of the edges of most cells of a column, in points, and how many most are. */
const [MAX_SHIFT, MIN_ALIGNED_SHARE] = [1.5, 0.75];
/** Columns with a larger mean length are running text; not more than half of the columns are. */
const MAX_MEAN_LENGTH = 22;
const [MIN_FILLED_SHARE, MIN_FILLED_SHARE_OF_COLUMN] = [0.4, 0.35];
/** The spaces at both sides of a row. */
const OUTER_GAPS = 2;
/** Beyond what pages have: rows are compared with all below them, and words with all columns. */
const [MAX_ROWS, MAX_WORDS, MAX_COLUMNS] = [400, 5_000, 60];
/** Rows of a column from which a table is tried to be read. */
const MAX_TRIALS = 50;

/** Lines of words that are one row of a table. */
type TableRow = Box & { words: PdfWord[]; gaps: Gap[] };
type Gap = { left: number; right: number };

/**
 * Finds tables without rules whose columns are close to one another, or whose cells are wrapped: rows that leave the same vertical
 * gaps free, between columns whose cells are aligned. In running text gaps are free in a few lines only, and nothing is aligned.
 */
export function findNarrowTables(found: readonly Row[], isBold: (word: PdfWord) => boolean): PdfTable[] {
  const words = found.reduce((sum, row) => sum + row.words.length, 0);
  if (found.length > MAX_ROWS || words > MAX_WORDS) return [];
  const rows = mergeOverlapping(found);
  const tables: PdfTable[] = [];
  let trials = 0;
  for (let start = 0; start < rows.length && trials < MAX_TRIALS;) {
    const { end, gaps } = rowsWithGaps(rows, start);
    if (end - start >= MIN_ROWS) trials += 1;
    const hasHeader = rows[start]?.words.every(isBold) === true && rows[start + 1]?.words.every(isBold) === false;
    const table = tableOf(rows.slice(start, end), { gaps, hasHeader });
    if (table) tables.push(table);
    start = table ? end : start + 1;
  }
  return tables;
}

/** Puts lines that overlap into one row, line by line. */
function mergeOverlapping(lines: readonly Row[]): TableRow[] {
  const rows: Row[][] = [];
  for (const line of lines) {
    const last = rows.at(-1)?.at(-1);
    const isOverlapping =
      last && line.top - last.bottom > MIN_OVERLAP * Math.min(last.top - last.bottom, line.top - line.bottom);
    if (isOverlapping) rows.at(-1)?.push(line);
    else rows.push([line]);
  }
  return rows.map((row) => {
    const [first] = row;
    const words = row.length === 1 && first ? first.words : row.flatMap((line) => line.words);
    const box = row.length === 1 && first ? first : boundingBox(row);
    return { ...boxOf(box), words, gaps: gapsOf(row.length === 1 ? words : words.toSorted((a, b) => a.left - b.left)) };
  });
}

function boxOf({ left, right, top, bottom }: Box): Box {
  return { left, right, top, bottom };
}

/** How far rows go on from a first one with gaps in the same places, and these gaps: as many of both as possible. */
function rowsWithGaps(rows: readonly TableRow[], start: number): { end: number; gaps: Gap[] } {
  let best = { end: start, gaps: [] as Gap[], score: 0 };
  let gaps = rows[start]?.gaps ?? [];
  // The first row has several cells.
  if (gaps.length <= OUTER_GAPS) return best;
  for (let end = start; end < rows.length; end += 1) {
    const [row, above] = [rows[end], rows[end - 1]];
    if (!row || (end > start && above && above.bottom - row.top > MAX_ROW_GAP * lineHeightOf(row.words))) break;
    gaps = intersect(gaps, row.gaps, minimumOf(row.words));
    const inner = gaps.filter(({ left, right }) => Number.isFinite(left) && Number.isFinite(right));
    if (inner.length === 0 && best.score > 0) break;
    const score = inner.length * (end + 1 - start);
    if (score >= best.score) best = { end: end + 1, gaps: inner, score };
  }
  return best;
}

/** The wide gaps that the words of a row leave free, which are ordered, and the space on both sides. */
function gapsOf(words: readonly PdfWord[]): Gap[] {
  const minimum = minimumOf(words);
  const gaps: Gap[] = [];
  let right = -Infinity;
  for (const word of words) {
    if (word.left - right >= minimum) gaps.push({ left: right, right: word.left });
    right = Math.max(right, word.right);
  }
  gaps.push({ left: right, right: Infinity });
  return gaps;
}

function minimumOf(words: readonly PdfWord[]): number {
  return Math.max(MIN_GAP, MIN_GAP_HEIGHTS * lineHeightOf(words));
}

/** What is in gaps of both lists, which are ordered, and not narrower than the minimum. */
function intersect(a: readonly Gap[], b: readonly Gap[], minimum: number): Gap[] {
  const shared: Gap[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length;) {
    const [one, other] = [a[i], b[j]];
    if (!one || !other) break;
    const gap = { left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) };
    if (gap.right - gap.left >= minimum) shared.push(gap);
    if (one.right < other.right) i += 1;
    else j += 1;
  }
  return shared;
}

function tableOf(
  found: readonly TableRow[],
  { gaps, hasHeader }: { gaps: readonly Gap[]; hasHeader: boolean },
): PdfTable | null {
  const least = hasHeader ? MIN_ROWS_WITH_HEADER : MIN_ROWS;
  if (gaps.length === 0 || gaps.length >= MAX_COLUMNS || found.length < least) return null;
  const edges = [-Infinity, ...gaps.map(({ left, right }) => (left + right) / 2), Infinity];
  const columns = edges.slice(1).map((right, index) => ({ left: edges[index] ?? -Infinity, right }));
  const placed = found.map((row) => ({ row, cells: assignToColumns(row, columns) }));
  const isSeveral = ({ cells }: { cells: PdfWord[][] }): boolean => cells.filter(({ length }) => length > 0).length > 1;
  // A heading above the table can close gaps: the table is found from its own first row.
  const rows = placed[0] && isSeveral(placed[0]) ? placed.slice(0, placed.findLastIndex(isSeveral) + 1) : [];
  const several = rows.filter(isSeveral);
  if (several.length < least) return null;
  // Browsers center the cells of a header.
  const data = several.slice(hasHeader ? 1 : 0);
  if (several.length < rows.length * MIN_SEVERAL_SHARE || !areColumns(data.map(({ cells }) => cells))) return null;
  const grid = mergeWrappedRows(rows);
  const texts = grid.flat();
  if (texts.filter((text) => text !== '').length < texts.length * MIN_FILLED_SHARE) return null;
  return { box: boundingBox(rows.map(({ row }) => row)), grid, words: new Set(rows.flatMap(({ row }) => row.words)) };
}

/** Whether each column has cells that are aligned, at most half of the columns are running text, and the first has no markers. */
function areColumns(rows: readonly (readonly PdfWord[][])[]): boolean {
  const columns = (rows[0] ?? []).map((_, column) => rows.flatMap((row) => (row[column]?.length ? [row[column]] : [])));
  const texts = columns.filter((cells) => meanLength(cells) > MAX_MEAN_LENGTH).length;
  const isFilled = columns.every((cells) => cells.length >= rows.length * MIN_FILLED_SHARE_OF_COLUMN);
  return isFilled && texts * 2 <= columns.length && !isList(columns[0] ?? []) && columns.every(isAligned);
}

/** Whether these are numbers or bullets of items; a bullet of a symbol font is any letter. */
function isList(cells: readonly PdfWord[][]): boolean {
  const markers = cells.map(joinWords);
  const isOne = new Set(markers).size === 1 && (markers[0]?.length ?? 0) <= 2;
  return isOne || markers.some((marker) => MARKER.test(marker));
}

/** Whether most cells begin, end or are centered at the same place. */
function isAligned(cells: readonly PdfWord[][]): boolean {
  const boxes = cells.map(boundingBox);
  const edges = [
    boxes.map(({ left }) => left),
    boxes.map(({ right }) => right),
    boxes.map(({ left, right }) => (left + right) / 2),
  ];
  return edges.some((places) => {
    const middle = places.toSorted((a, b) => a - b)[Math.floor(places.length / 2)] ?? 0;
    const near = places.filter((place) => Math.abs(place - middle) <= MAX_SHIFT).length;
    return near >= places.length * MIN_ALIGNED_SHARE;
  });
}

function lineHeightOf([first]: readonly PdfWord[]): number {
  return first ? heightOf(first) : 1;
}
