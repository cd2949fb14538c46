import stringWidth from 'string-width';
import { oneLine } from './printable.ts';

const GAP = '  ';
const MAX_COLUMN = 60;

/** Rows under headings, in columns as wide as they need; the last column is as long as it is. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell, index) => shown(cell, index === headings.length - 1)))];
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

/** Names and values, one a line. */
export function record(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${shownValue(value)}`.trimEnd())
    .join('\n');
}

function shown(cell: string, isLast: boolean): string {
  return oneLine(cell, isLast ? undefined : MAX_COLUMN);
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
