import { parse } from 'csv-parse/sync';
import { countTitleRows, type FilledRow, SAMPLE_ROWS } from '#providers/readers/shared/title-rows.ts';

export type CsvDialect = {
  delimiter: string;
  /** Rows above the table, such as its title. */
  titleRows: number;
  /** Whether the first row of the table contains column names. */
  hasHeader: boolean;
  /** Largest number of columns of a row in the sample. */
  columns: number;
  /** Mean text length of a row in the sample. */
  rowLength: number;
  /** Whether a cell of the sample contains a line end or is very long. */
  hasLongCells: boolean;
};

/** In the order of preference among equally good ones: a comma is the most frequent in values. */
const DELIMITERS = ['\t', ';', '|', ','];
const LONG_CELL = 300;
/** Against a header; a column of numbers below a name outweighs two. */
const WEAK_VOTE = 0.5;
const NUMBER = /^[-+]?[.,\s%€$£]*\d[\d.,\s%€$£]*$/;

/** Detects the dialect of a table from its beginning (complete lines). `preferred` is chosen if it fits at all. */
export function detectCsvDialect(sample: string, preferred?: string): CsvDialect {
  const candidates = (preferred ? [preferred, ...DELIMITERS] : DELIMITERS).map((delimiter) => {
    const rows = sampleRows(sample, delimiter);
    return { delimiter, rows, ...consistency(rows) };
  });
  const fitting = candidates.filter(({ columns }) => columns > 1);
  const preferredFits = preferred
    ? fitting.find(({ delimiter, share }) => delimiter === preferred && share > 0.5)
    : undefined;
  const best = preferredFits ?? fitting.sort((a, b) => score(b) - score(a))[0];
  const { delimiter, rows: sampled } = best ?? {
    delimiter: preferred ?? ',',
    rows: sampleRows(sample, preferred ?? ','),
  };
  const titleRows = countTitleRows(sampled.map(filledRow));
  const rows = sampled.slice(titleRows);
  const cells = rows.flat();
  return {
    delimiter,
    titleRows,
    hasHeader: hasHeader(rows),
    columns: rows.reduce((most, row) => Math.max(most, row.length), 1),
    rowLength: cells.reduce((length, cell) => length + cell.length, 0) / Math.max(1, rows.length),
    hasLongCells: cells.some((cell) => cell.length > LONG_CELL || cell.includes('\n')),
  };
}

function filledRow(row: readonly string[]): FilledRow {
  return { texts: row.filter((text) => text.trim() !== ''), isFirstFilled: row[0]?.trim() !== '' };
}

function sampleRows(sample: string, delimiter: string): string[][] {
  const options = { delimiter, to: SAMPLE_ROWS, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  try {
    return parse(sample, { ...options, bom: true });
  } catch {
    // A quote that does not close within the sample, or never.
    return parse(sample, { ...options, quote: false });
  }
}

/** The number of columns that most rows have, and the share of rows with that number. */
function consistency(rows: readonly (readonly string[])[]): { columns: number; share: number } {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row.length, (counts.get(row.length) ?? 0) + 1);
  const [columns, times] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0];
  return { columns, share: times / Math.max(1, rows.length) };
}

/** Ranks by consistency in steps so coarse that one ragged row does not decide, then by the number of columns. */
function score({ share, columns }: { share: number; columns: number }): number {
  return Math.round(share * 10) * 1000 + Math.min(columns, 999);
}

/**
 * A header differs from the values below: a column that is numeric including the first cell is evidence against a header, a column
 * where only the first cell is (or is not) a number is evidence for one. Equal names, and cells without a name above values, are
 * weak evidence against one: joined tables have them. One empty cell alone, above a column of row names, makes a header.
 */
function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [head, ...body] = rows;
  if (!head || body.length === 0) return false;
  const names = head.map((name) => name.trim().toLowerCase());
  const filled = names.filter((name) => name !== '');
  if (filled.length === 0) return false;
  if (names.length - filled.length === 1) return true;
  let votes = new Set(filled).size < filled.length ? -WEAK_VOTE : 0;
  let isUnnamed = false;
  for (const [column, name] of names.entries()) {
    const values = body.map((row) => row[column]?.trim() ?? '').filter((value) => value !== '');
    const isNumeric = values.length > 0 && values.every((value) => NUMBER.test(value));
    if (name === '') isUnnamed ||= values.length > 0;
    else if (isNumeric && NUMBER.test(name)) votes -= 1;
    else if (isNumeric !== NUMBER.test(name)) votes += 1;
  }
  return votes >= (isUnnamed ? WEAK_VOTE : 0);
}
