import { joinWords, type Box, type PdfLine, type PdfWord } from './page.ts';

/** Words side by side, from left to right. `cells`: the same, split at wide gaps. */
export type Row = Box & { words: PdfWord[]; cells: PdfWord[][] };
export type Columns = readonly { left: number; right: number }[];

/** A horizontal gap of more than this many word heights separates two cells. */
const CELL_GAP_HEIGHTS = 0.9;
/** Between rules, where text can only be a table. */
const RULED_CELL_GAP_HEIGHTS = 0.4;
/** Leads to the page number in a table of contents. */
const DOT_LEADER = /(?:\.\s?){5,}|…{2,}/;

/** The rows of words of these lines, without those of a table of contents. Between horizontal rules cells are closer. */
export function tableRows(lines: readonly PdfLine[], isRuled = false): Row[] {
  const words = lines.filter(({ text }) => !DOT_LEADER.test(text)).flatMap((line) => line.words);
  const rows = rowsOf(words, isRuled ? RULED_CELL_GAP_HEIGHTS : CELL_GAP_HEIGHTS);
  if (lines.some(({ isRightToLeft }) => isRightToLeft)) restoreWordOrder(rows, words);
  return rows;
}

/** Groups words of the same height into rows, top down, and splits each row into cells at gaps wider than so many word heights. */
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

/** Texts from right to left keep the order of reading; `cells` are by place. */
function restoreWordOrder(rows: readonly Row[], words: readonly PdfWord[]): void {
  const places = new Map(words.map((word, index) => [word, index]));
  for (const row of rows) row.words.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** The words of a row by column: the column that contains the center of the word, else the nearest one. */
export function assignToColumns({ words }: Pick<Row, 'words'>, columns: Columns): PdfWord[][] {
  const cells = columns.map((): PdfWord[] => []);
  for (const word of words) {
    cells[nearestColumn(columns, (word.left + word.right) / 2)]?.push(word);
  }
  return cells;
}

function nearestColumn(columns: Columns, x: number): number {
  let [nearest, least] = [-1, Infinity];
  for (let index = 0; index < columns.length && least > 0; index += 1) {
    const { left = 0, right = 0 } = columns[index] ?? {};
    const distance = Math.max(left - x, x - right, 0);
    if (distance < least) [nearest, least] = [index, distance];
  }
  return nearest;
}

/** Merges rows that have an empty first cell and stand close below another row into that row. */
export function mergeWrappedRows(rows: readonly { row: Box; cells: PdfWord[][] }[]): string[][] {
  const grid: string[][] = [];
  let above: Box | null = null;
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

export function meanLength(cells: readonly (readonly PdfWord[])[]): number {
  return cells.reduce((sum, cell) => sum + joinWords(cell).length, 0) / Math.max(1, cells.length);
}

export function boundingBox(boxes: readonly Box[]): Box {
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

export function heightOf({ top, bottom }: Box): number {
  return Math.max(1, top - bottom);
}
