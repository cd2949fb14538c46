import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { ReadDocument, Reader, ReadInput, ReadLimits } from '#domain/reader.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { charsetOfFile, decodeBytes, decodeStream } from '#providers/readers/shared/decode-text.ts';
import { tableRow } from '#providers/readers/shared/markdown-table.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

const SAMPLE_BYTES = 64 * 1024;
/** A longer record is caused by a quote that does not close. */
const MAX_RECORD_BYTES = 1024 * 1024;
const MAX_TABLE_COLUMNS = 16;
const MAX_TABLE_ROW_LENGTH = 400;

/** The first line of a table that Excel is to open with this separator. */
const SEPARATOR_LINE = /^\uFEFF?"?sep=([,;|\t])"?\r?\n/i;

type CsvSource = { path: string; charset: string; dialect: CsvDialect; quote: boolean; skippedLines: number };

/**
 * Reads tables of values separated by comma, semicolon, tab or pipe, as a stream. A narrow table becomes a Markdown
 * table (each chunk of it repeats the header); a wide one, or one with long texts, becomes one record per row with a
 * `header: value` per line, so that a chunk names what its values mean. Rows above the header become paragraphs. Ragged rows are kept and counted in
 * `notes.ragged_rows`.
 */
export const csvReader: Reader = {
  name: 'csv',
  mediaTypes: ['text/csv', 'text/tab-separated-values'],
  async read(input, limits) {
    const source = await openCsv(input);
    try {
      return await renderCsv(source, limits);
    } catch (error) {
      if (!isQuoteError(error)) throw error;
      const document = await renderCsv({ ...source, quote: false }, limits).catch((again: unknown) => {
        throw isQuoteError(again) ? longRecordError(again) : again;
      });
      return { ...document, notes: { ...document.notes, unbalanced_quotes: true } };
    }
  },
};

async function openCsv({ path, mediaType }: ReadInput): Promise<CsvSource> {
  const { detectCsvDialect } = await import('./csv-dialect.ts');
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    const isWhole = bytesRead < SAMPLE_BYTES;
    const lastLine = buffer.lastIndexOf(0x0a, bytesRead - 1);
    const bytes = buffer.subarray(0, isWhole || lastLine <= 0 ? bytesRead : lastLine);
    const charset = await charsetOfFile(path);
    const text = decodeBytes(bytes, charset);
    const [, named] = SEPARATOR_LINE.exec(text) ?? [];
    const preferred = named ?? (mediaType === 'text/tab-separated-values' ? '\t' : undefined);
    const dialect = detectCsvDialect(text.replace(SEPARATOR_LINE, ''), preferred);
    return { path, charset, dialect, quote: true, skippedLines: named === undefined ? 0 : 1 };
  } finally {
    await file.close();
  }
}

async function renderCsv(source: CsvSource, { maxTextBytes }: ReadLimits): Promise<ReadDocument> {
  const { dialect } = source;
  const builder = new TextBuilder(maxTextBytes);
  const isTable =
    dialect.columns <= MAX_TABLE_COLUMNS && dialect.rowLength <= MAX_TABLE_ROW_LENGTH && !dialect.hasLongCells;
  let header: readonly string[] | null = null;
  let rows = 0;
  let raggedRows = 0;
  let titlesLeft = dialect.titleRows;
  for await (const row of readRecords(source)) {
    if (titlesLeft > 0) {
      titlesLeft -= 1;
      const title = row.map((cell) => cell.trim()).filter((cell) => cell !== '');
      builder.append(title.length === 0 ? '' : `${title.join(' ')}\n\n`);
      continue;
    }
    if (header === null) {
      header = dialect.hasHeader ? row : [];
      if (isTable) builder.append(tableHead(header, dialect.columns));
      if (dialect.hasHeader) continue;
    }
    rows += 1;
    if (row.length !== (header.length || dialect.columns)) raggedRows += 1;
    builder.append(isTable ? `${tableRow(row, dialect.columns)}\n` : renderRecord(row, header));
  }
  return builder.build({
    row_count: rows,
    column_count: dialect.columns,
    ...(raggedRows === 0 ? {} : { ragged_rows: raggedRows }),
    ...(source.charset === 'utf-8' ? {} : { charset: source.charset }),
  });
}

async function* readRecords({ path, charset, dialect, quote, skippedLines }: CsvSource): AsyncGenerator<string[]> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    delimiter: dialect.delimiter,
    quote: quote ? '"' : false,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    from_line: skippedLines + 1,
    max_record_size: MAX_RECORD_BYTES,
  });
  const bytes = createReadStream(path, { highWaterMark: 256 * 1024 });
  const text = bytes.pipe(decodeStream(charset));
  bytes.on('error', (error) => parser.destroy(error));
  text.on('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    // Without the option `columns` every record is an array of strings.
    for await (const row of parser as AsyncIterable<string[]>) yield row;
  } finally {
    bytes.destroy();
  }
}

function tableHead(header: readonly string[], columns: number): string {
  const names = header.length > 0 ? header : Array.from({ length: columns }, (_, index) => `column ${index + 1}`);
  return `${tableRow(names, columns)}\n|${' --- |'.repeat(columns)}\n`;
}

function renderRecord(row: readonly string[], header: readonly string[]): string {
  const lines = row.flatMap((cell, index) => {
    const value = cell.trim();
    const name = header[index]?.trim() ?? '';
    if (value === '') return [];
    return [name === '' ? value : `${name}: ${value}`];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

function longRecordError(cause: unknown): AppError {
  const limit = `${MAX_RECORD_BYTES / 1024 / 1024} MiB`;
  return new AppError(
    'unreadable',
    `A row of the table is longer than ${limit}. Check its quotes, or upload the file with reader=text.`,
    {
      cause,
    },
  );
}

function isQuoteError(error: unknown): boolean {
  if (error instanceof AppError || !(error instanceof Error) || !('code' in error)) return false;
  return (
    error.code === 'CSV_QUOTE_NOT_CLOSED' ||
    error.code === 'CSV_MAX_RECORD_SIZE' ||
    error.code === 'CSV_INVALID_CLOSING_QUOTE'
  );
}
