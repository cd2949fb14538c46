import { joinWords, type PdfWord } from './page.ts';
import { boundingBox, heightOf } from './table-rows.ts';

/** The words between two rules across a table, by column from left to right. */
type Band = readonly (readonly PdfWord[])[];

/** Words whose centers differ by less than this share of their height are in one line. */
const SAME_LINE = 0.5;
/** Width of a space, and of what is left free at both sides of a cell, in line heights. */
const [SPACE, PADDING] = [0.25, 0.6];

/** Numbers that are aligned at their decimal point begin and end at different places. In line heights. */
const MAX_SHIFT = 0.5;
/** In points. */
const MIN_NEARER = 1;

/**
 * The heights at which rows begin that no rule separates, in a table of which only the columns are ruled. `xs` are the edges of
 * the columns. Where most bands are a single row, the rows are ruled and a band of several lines is a wrapped row.
 */
export function rowCuts(bands: readonly Band[], xs: readonly number[]): number[] {
  const used = bands.filter((band) => band.some((cell) => cell.length > 0));
  const cuts = used.map((band) => cutsOf(band, xs)).filter(({ length }) => length > 0);
  // The header and the sum at the end are single rows.
  return cuts.length >= used.length - cuts.length - 1 ? cuts.flat() : [];
}

function cutsOf(band: Band, xs: readonly number[]): number[] {
  const first = band.findIndex((cell) => cell.length > 0);
  const cuts: number[] = [];
  // The last line of each cell of the current row.
  let row: PdfWord[][] = [];
  let bottom = 0;
  for (const line of joinDownwards(linesOf(band), first)) {
    const box = boundingBox(line.flat());
    // Words that are placed freely are the labels of a figure.
    if (!line.every((cell, column) => isAligned(cell, row[column] ?? []))) return [];
    if (row.length > 0 && beginsRow(line, { row, first, xs })) {
      cuts.push((bottom + box.top) / 2);
      row = line;
    } else row = line.map((cell, column) => (cell.length > 0 ? cell : (row[column] ?? [])));
    bottom = box.bottom;
  }
  return cuts;
}

/** The lines of text of a band from top to bottom, by column. */
function linesOf(band: Band): PdfWord[][][] {
  const words = band.flatMap((cell, column) => cell.map((word) => ({ word, column, y: (word.top + word.bottom) / 2 })));
  const lines: { y: number; cells: PdfWord[][] }[] = [];
  for (const { word, column, y } of words.sort((a, b) => b.y - a.y)) {
    let line = lines.at(-1);
    if (!line || line.y - y > heightOf(word) * SAME_LINE) lines.push((line = { y, cells: band.map(() => []) }));
    line.cells[column]?.push(word);
  }
  return lines.map(({ cells }) => cells.map((cell) => cell.sort((a, b) => a.left - b.left)));
}

/** Lines with an empty first cell that are nearer to the line below belong to it: some tables align cells at the bottom. */
function joinDownwards(lines: readonly PdfWord[][][], first: number): PdfWord[][][] {
  const joined: PdfWord[][][] = [];
  for (const [index, line] of [...lines.entries()].reverse()) {
    const [above, below] = [lines[index - 1], joined[0]];
    const box = boundingBox(line.flat());
    const gapAbove = boundingBox(above?.flat() ?? []).bottom - box.top;
    const gapBelow = box.bottom - boundingBox(below?.flat() ?? []).top;
    if (above && below && line[first]?.length === 0 && gapBelow < gapAbove - MIN_NEARER)
      joined[0] = line.map((cell, column) => [...cell, ...(below[column] ?? [])]);
    else joined.unshift(line);
  }
  return joined;
}

type Above = { row: readonly PdfWord[][]; first: number; xs: readonly number[] };

/**
 * Whether most cells above ended before they were full, the one in the first column among them, and a number is below a number:
 * the lines of an address and of a description are no rows.
 */
function beginsRow(line: readonly PdfWord[][], { row, first, xs }: Above): boolean {
  const shared = [...line.keys()].flatMap((column) => {
    const [cell, above] = [line[column] ?? [], row[column] ?? []];
    const width = (xs[column + 1] ?? 0) - (xs[column] ?? 0);
    return cell.length > 0 && above.length > 0 ? [{ cell, above, column, isEnded: isEnded(above, cell, width) }] : [];
  });
  const ended = shared.filter(({ isEnded: hasEnded }) => hasEnded);
  const hasNumbers = shared.some(({ cell, above }) => isNumber(cell) && isNumber(above));
  const isFirstEnded = ended.some(({ column }) => column === first);
  return shared.length >= 2 && isFirstEnded && hasNumbers && ended.length * 2 > shared.length;
}

/** Whether two cells below one another have a common left or right edge, or center; an empty one is aligned with any. */
function isAligned(a: readonly PdfWord[], b: readonly PdfWord[]): boolean {
  if (a.length === 0 || b.length === 0) return true;
  const [box, other] = [boundingBox(a), boundingBox(b)];
  const [left, right] = [Math.abs(box.left - other.left), Math.abs(box.right - other.right)];
  const center = Math.abs(box.left + box.right - other.left - other.right) / 2;
  return Math.min(left, right, center) <= MAX_SHIFT * heightOf(box);
}

/** Whether the cell has space for the first word below it, or is a number. */
function isEnded(cell: readonly PdfWord[], [next]: readonly PdfWord[], width: number): boolean {
  const { left, right, top, bottom } = boundingBox(cell);
  if (!next || isNumber(cell)) return true;
  const free = width - PADDING * (top - bottom) - (right - left);
  return next.right - next.left + SPACE * (top - bottom) <= free;
}

function isNumber(cell: readonly PdfWord[]): boolean {
  const text = joinWords(cell);
  return /\p{N}/u.test(text) && !/\p{L}/u.test(text);
}
