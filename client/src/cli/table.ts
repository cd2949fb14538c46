import stringWidth from 'string-width';
import { oneLine } from './printable.ts';

const GAP = '  ';
const MAX_COLUMN = 60;

/** Formats rows under headings, in columns that fit their cells. The last column is not truncated. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [
    headings,
    ...rows.map((row) => row.map((cell, index) => formatCell(cell, index === headings.length - 1))),
  ];
  const widths = headings.map((_, index) => Math.max(...cells.map((row) => stringWidth(row[index] ?? ''))));
  return cells
    .map((row) =>
      row
        .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - stringWidth(cell)))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Formats a record as one line of name and value per field. */
export function formatRecord(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${formatValue(value)}`.trimEnd())
    .join('\n');
}

function formatCell(cell: string, isLast: boolean): string {
  return oneLine(cell, isLast ? undefined : MAX_COLUMN);
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
