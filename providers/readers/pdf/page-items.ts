import { findAlignedTables } from './aligned-tables.ts';
import { tableRows } from './table-rows.ts';
import { findNarrowTables } from './narrow-tables.ts';
import { findRuledTables } from './ruled-tables.ts';
import { findRuledBands, isInBand } from './ruled-bands.ts';
import { findColumns, sortByReadingOrder } from './columns.ts';
import { withWords, type PdfTable, type PdfLine, type PdfPage, type RuledLine } from './page.ts';

/** An element of a page, in reading order. */
export type PageItem = PdfLine | PdfTable;

/**
 * The lines of a page in reading order. Lines that belong to a table are replaced by the table, at the place of its
 * first line.
 */
export function pageItems({ lines: given, ruledLines }: PdfPage): PageItem[] {
  const isRightToLeft = given.some((line) => line.isRightToLeft);
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
  const rows = [...byColumn].map(([column, rest]) => ({ column, rows: tableRows(rest) }));
  const aligned = rows.flatMap((column) => findAlignedTables(column.rows));
  const bold = new Set(lines.flatMap((line) => (line.isBold ? line.words : [])));
  // Lines that span several columns of text would be a table of these.
  const narrow = rows.flatMap((one) =>
    one.column === -1 || isRightToLeft ? [] : findNarrowTables(one.rows, (word) => bold.has(word)),
  );
  const tables = [...ruled, ...mergeTables(mergeNarrow(aligned, narrow), findBandedTables(lines, ruledLines))];
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

export function isTable(item: PageItem): item is PdfTable {
  return 'grid' in item;
}

/** Tables between horizontal rules. */
function findBandedTables(lines: readonly PdfLine[], ruledLines: readonly RuledLine[]): PdfTable[] {
  return findRuledBands(ruledLines).flatMap((band) =>
    findAlignedTables(
      tableRows(
        lines.filter((line) => isInBand(line, band)),
        true,
      ),
      true,
    ),
  );
}

/** Of an aligned table and one between rules, the first if it contains the other: the last row may be below all rules. */
function mergeTables(aligned: readonly PdfTable[], banded: readonly PdfTable[]): PdfTable[] {
  const columnsOf = ({ grid }: PdfTable): number => grid[0]?.length ?? 0;
  const contains = (a: PdfTable, b: PdfTable): boolean =>
    [...b.words].every((word) => a.words.has(word)) && columnsOf(a) >= columnsOf(b);
  const added = banded.filter((table) => !aligned.some((other) => contains(other, table)));
  const kept = aligned.filter(
    (table) => !added.some((other) => [...other.words].some((word) => table.words.has(word))),
  );
  return [...kept, ...added];
}

/** Of narrow tables and of those found by wide gaps which share words, the ones with more words. */
function mergeNarrow(aligned: readonly PdfTable[], narrow: readonly PdfTable[]): PdfTable[] {
  const added = narrow.filter(({ words }) => {
    const shared = aligned.filter((other) => !other.words.isDisjointFrom(words));
    return words.size > shared.reduce((sum, other) => sum + other.words.size, 0);
  });
  return [...aligned.filter((table) => added.every((other) => other.words.isDisjointFrom(table.words))), ...added];
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
