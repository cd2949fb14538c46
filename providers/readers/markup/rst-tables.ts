import { markdownTable } from '#providers/readers/shared/markdown-table.ts';

const GRID_BORDER = /^\+(?:[-=]+\+)+$/;
const SIMPLE_BORDER = /^=+(?: +=+)+$/;

/** A table that begins at this line, and the line after it; null when there is none. */
export function rstTable(lines: readonly string[], start: number): { markdown: string; end: number } | null {
  const first = (lines[start] ?? '').trimEnd();
  if (GRID_BORDER.test(first.trim())) return gridTable(lines, start);
  return SIMPLE_BORDER.test(first) ? simpleTable(lines, start) : null;
}

/** `+---+---+` between rows, `|` between columns. A cell that spans columns fills the first of them. */
function gridTable(lines: readonly string[], start: number): { markdown: string; end: number } {
  const rows: string[][] = [];
  let row: string[] = [];
  let end = start;
  for (; end < lines.length; end += 1) {
    const line = (lines[end] ?? '').trim();
    if (!line.startsWith('+') && !line.startsWith('|')) break;
    if (GRID_BORDER.test(line)) {
      if (row.length > 0) rows.push(row);
      row = [];
    } else {
      const cells = line.replace(/^[|+]/, '').replace(/[|+]$/, '').split('|');
      for (const [x, cell] of cells.entries()) row[x] = `${row[x] ?? ''} ${cell.trim()}`;
    }
  }
  if (row.length > 0) rows.push(row);
  return { markdown: rows.length === 0 ? '' : markdownTable(rows), end };
}

/** Columns as wide as the `=` of the borders; a line without text in the first column continues the row above. */
function simpleTable(lines: readonly string[], start: number): { markdown: string; end: number } | null {
  const border = (lines[start] ?? '').trimEnd();
  const columns = [...border.matchAll(/=+/g)].map(({ index }) => index);
  const borders = [start];
  for (let at = start + 1; at < lines.length && borders.length < 3; at += 1) {
    const line = (lines[at] ?? '').trimEnd();
    if (SIMPLE_BORDER.test(line)) borders.push(at);
    // Without a header there are two borders, and an empty line ends the table.
    else if (line.trim() === '' && borders.length === 2) break;
  }
  const last = borders.at(-1) ?? start;
  if (last === start) return null;
  const rows: string[][] = [];
  for (const line of lines.slice(start + 1, last)) {
    if (line.trim() === '' || /^[=\- ]+$/.test(line)) continue;
    const cells = columns.map((from, x) => line.slice(from, columns[x + 1]).trim());
    const above = rows.at(-1);
    if (cells[0] === '' && above) rows[rows.length - 1] = above.map((text, x) => `${text} ${cells[x] ?? ''}`);
    else rows.push(cells);
  }
  return { markdown: rows.length === 0 ? '' : markdownTable(rows), end: last + 1 };
}
