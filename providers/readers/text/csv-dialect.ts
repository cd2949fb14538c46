import { parse } from 'csv-parse/sync';

export type CsvDialect = {
  delimiter: string;
  /** Does the first row name the columns? */
  hasHeader: boolean;
  /** Most columns of a row in the sample. */
  columns: number;
  /** Mean length of a row's text in the sample. */
  rowLength: number;
  /** A cell of the sample holds a line end or is very long. */
  hasLongCells: boolean;
};

/** In the order in which equally good ones are taken: a comma occurs in values most often. */
const DELIMITERS = ['\t', ';', '|', ','];
const SAMPLE_ROWS = 50;
const LONG_CELL = 300;
const NUMBER = /^[-+]?[.,\s%€$£]*\d[\d.,\s%€$£]*$/;

/** Tells how a table is written from its beginning (whole lines of it). `preferred` wins where it fits at all. */
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
  const { delimiter, rows } = best ?? { delimiter: preferred ?? ',', rows: sampleRows(sample, preferred ?? ',') };
  const cells = rows.flat();
  return {
    delimiter,
    hasHeader: hasHeader(rows),
    columns: rows.reduce((most, row) => Math.max(most, row.length), 1),
    rowLength: cells.reduce((length, cell) => length + cell.length, 0) / Math.max(1, rows.length),
    hasLongCells: cells.some((cell) => cell.length > LONG_CELL || cell.includes('\n')),
  };
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

/** How many columns most rows have, and which share of the rows has that many. */
function consistency(rows: readonly (readonly string[])[]): { columns: number; share: number } {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row.length, (counts.get(row.length) ?? 0) + 1);
  const [columns, times] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0];
  return { columns, share: times / Math.max(1, rows.length) };
}

/** Consistency first, in steps coarse enough that one ragged row does not decide; then more columns. */
function score({ share, columns }: { share: number; columns: number }): number {
  return Math.round(share * 10) * 1000 + Math.min(columns, 999);
}

/**
 * A header has distinct cells, none empty, and does not look like the values below: a column that is numeric
 * throughout speaks against it, one whose first cell alone is (or is not) a number for it.
 */
function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [head, ...body] = rows;
  if (!head || body.length === 0) return false;
  const names = head.map((name) => name.trim().toLowerCase());
  if (names.includes('') || new Set(names).size < names.length) return names.filter((name) => name === '').length === 1;
  let votes = 0;
  for (const [column, name] of names.entries()) {
    const values = body.map((row) => row[column]?.trim() ?? '').filter((value) => value !== '');
    const isNumeric = values.length > 0 && values.every((value) => NUMBER.test(value));
    if (isNumeric && NUMBER.test(name)) votes -= 1;
    else if (isNumeric !== NUMBER.test(name)) votes += 1;
  }
  return votes >= 0;
}
