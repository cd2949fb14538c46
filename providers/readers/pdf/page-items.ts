import { findAlignedTables } from './aligned-tables.ts';
import { findRuledTables } from './ruled-tables.ts';
import { findColumns, sortByReadingOrder } from './columns.ts';
import { withWords, type PdfTable, type PdfLine, type PdfPage } from './page.ts';

/** An element of a page, in reading order. */
export type PageItem = PdfLine | PdfTable;

/**
 * The lines of a page in reading order. Lines that belong to a table are replaced by the table, at the place of its
 * first line.
 */
export function pageItems({ lines: given, ruledLines }: PdfPage): PageItem[] {
  const columnOf = findColumns(given);
  const lines = sortByReadingOrder(given, columnOf);
  const words = lines.flatMap((line) => line.words);
  const ruled = findRuledTables(ruledLines, words);
  const byColumn = new Map<number, PdfLine[]>();
  for (const line of lines) {
    const rest = withoutTableWords(line, ruled);
    // Code is aligned in columns too.
    if (!rest || rest.isMonospaced) continue;
    const column = byColumn.get(columnOf(line));
    if (column) column.push(rest);
    else byColumn.set(columnOf(line), [rest]);
  }
  const tables = [...ruled, ...[...byColumn.values()].flatMap(findAlignedTables)];
  if (tables.length === 0) return lines;
  // The first column is the right one.
  if (isMostlyRightToLeft(lines)) for (const { grid } of tables) for (const row of grid) row.reverse();
  const items: PageItem[] = [];
  const placed = new Set<PdfTable>();
  for (const line of lines) {
    for (const table of tables) {
      if (placed.has(table) || !line.words.some((word) => table.words.has(word))) continue;
      placed.add(table);
      items.push(table);
    }
    const rest = withoutTableWords(line, tables);
    if (rest) items.push(rest);
  }
  return items;
}

function isMostlyRightToLeft(lines: readonly PdfLine[]): boolean {
  return lines.filter(({ isRightToLeft }) => isRightToLeft).length * 2 > lines.length;
}

/** The line without the words that belong to tables; null when none are left. */
function withoutTableWords(line: PdfLine, tables: readonly PdfTable[]): PdfLine | null {
  if (tables.length === 0) return line;
  const words = line.words.filter((word) => !tables.some((table) => table.words.has(word)));
  return words.length === line.words.length ? line : withWords(line, words);
}
