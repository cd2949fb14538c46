/**
 * Control characters that separate rows and cells in intermediate text; `cleanText` has removed them from documents.
 */
export const TABLE_ROW = String.fromCharCode(1);
export const TABLE_CELL = String.fromCharCode(2);

const MAX_SPAN = 100;
/** A longer text is written only into the first of the cells that it spans. */
const MAX_REPEATED_LENGTH = 60;
/**
 * Most cells that a table is filled up to, beside a multiple of those that it has. More are not a table that somebody wrote: a
 * small file could grow to gigabytes.
 */
const MAX_FILLED = { cells: 10_000, perCell: 20 };

type Cell = { text: string; columns: number; rows: number };

/**
 * Renders a table from the marked texts of its rows and cells: `ROW (CELL spans CELL text)*`, repeated. A short text is
 * repeated in the columns and rows that it spans, so that each row is understood by itself. A table within a cell becomes a line
 * of that cell.
 */
export function renderTable(content: string, { isNested }: { isNested: boolean }): string {
  const [before = '', ...parts] = content.split(TABLE_ROW);
  const rows = parts.map(cellsOf).filter((cells) => cells.length > 0);
  const cells = rows.flat();
  if (isNested) {
    const texts = cells.map(({ text }) => text);
    return ` ${(before.trim() === '' ? texts : [before.trim(), ...texts]).join(' ')} `;
  }
  if (cells.length <= 1) return `\n\n${before}${cells.map(({ text }) => text).join('')}\n\n`;
  return `\n\n${before.trim()}\n\n${markdownTable(gridOf(rows))}\n\n`;
}

/**
 * A GitHub-flavored Markdown table; the first row is the header. Escapes pipes and line ends in cells. Rows that are shorter than
 * the longest one are filled up with empty cells, unless these would be most of the table.
 */
export function markdownTable(grid: readonly (readonly string[])[]): string {
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
  const cells = grid.reduce((sum, row) => sum + row.length, 0);
  const isFilled = !isExcessive(grid.length * width, cells);
  const lines = grid.map((row) => tableRow(row, isFilled ? width : row.length));
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  return lines.join('\n');
}

/** One line of a table with this many columns. */
export function tableRow(cells: readonly string[], width: number): string {
  const padded = [...cells, ...Array.from({ length: Math.max(0, width - cells.length) }, () => '')];
  return `| ${padded.map((cell) => cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')).join(' | ')} |`;
}

function isExcessive(filled: number, cells: number): boolean {
  return filled > MAX_FILLED.cells + MAX_FILLED.perCell * cells;
}

/** Text of a row outside of its cells is a cell. */
function cellsOf(row: string): Cell[] {
  const [outside = '', ...parts] = row.split(TABLE_CELL);
  const cells: Cell[] = outside.trim() === '' ? [] : [{ text: outside.trim(), columns: 1, rows: 1 }];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [columns = 1, rows = 1] = (parts[index] ?? '').split(',').map(Number);
    cells.push({ text: parts[index + 1] ?? '', columns: validSpan(columns), rows: validSpan(rows) });
  }
  return cells;
}

function validSpan(span: number): number {
  return Number.isInteger(span) && span > 1 ? Math.min(span, MAX_SPAN) : 1;
}

/** Spans are ignored in a table that would grow too much by them. */
function gridOf(rows: readonly (readonly Cell[])[]): string[][] {
  const cells = rows.flat();
  const spanned = cells.reduce((sum, cell) => sum + cell.columns * cell.rows, 0);
  if (isExcessive(spanned, cells.length)) return rows.map((row) => row.map(({ text }) => text));
  const grid: string[][] = rows.map(() => []);
  const taken = rows.map(() => new Set<number>());
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const cell of row) {
      while (taken[y]?.has(x)) x += 1;
      for (let dy = 0; dy < cell.rows; dy += 1) {
        for (let dx = 0; dx < cell.columns; dx += 1) {
          taken[y + dy]?.add(x + dx);
          const line = grid[y + dy];
          if (line) line[x + dx] = (dx === 0 && dy === 0) || cell.text.length <= MAX_REPEATED_LENGTH ? cell.text : '';
        }
      }
      x += cell.columns;
    }
  }
  return grid.map((line) => Array.from(line, (cell) => cell ?? ''));
}
