const SEPARATOR = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const ROW = /^\|.*\|$/s;

/**
 * Returns a row of a Markdown table as people say it, `Route: Ulva; Departs: 10:00`, with the titles of its columns where the text
 * has them above. Null for what is no row, and an empty text for the titles themselves, which say nothing alone.
 */
export function readTableRow(text: string, { start, end }: { start: number; end: number }): string | null {
  const row = text.slice(start, end);
  if (!ROW.test(row) || row.includes('\n')) return null;
  if (SEPARATOR.test(lineAfter(text, end))) return '';
  const titles = titlesAbove(text, start);
  const cells = cellsOf(row);
  const named = cells.flatMap((cell, at) => {
    const title = titles[at] ?? '';
    if (cell === '') return [];
    return [title === '' ? cell : `${title}: ${cell}`];
  });
  return named.join('; ');
}

function lineAfter(text: string, end: number): string {
  return /^[^\S\n]*\n([^\n]*)/.exec(text.slice(end, end + 4_096))?.[1] ?? '';
}

/** The titles of the columns of the table that has a row at `start`. */
function titlesAbove(text: string, start: number): string[] {
  const lines = text.slice(0, start).split('\n').slice(0, -1);
  for (let at = lines.length - 1; at > 0; at -= 1) {
    const line = lines[at] ?? '';
    if (SEPARATOR.test(line)) return cellsOf((lines[at - 1] ?? '').trim());
    if (!line.trimStart().startsWith('|')) break;
  }
  return [];
}

/** A bar after a backslash is part of a cell. */
function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
