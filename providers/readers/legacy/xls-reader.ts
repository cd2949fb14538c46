import { readFile, stat } from 'node:fs/promises';
import type { Cell, read as ReadWorkbook, Sheet } from '@e965/xlsx';
import { AppError, assertNever } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { formatNumber, numberFormatOf } from '#providers/readers/office/sheets/number-formats.ts';
import { sheetBlocks } from '#providers/readers/office/sheets/sheet-blocks.ts';
import { hiddenCount } from '#providers/readers/shared/hidden-count.ts';
import { XLS, XLSB } from '#providers/readers/shared/media-types.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { assertInflatedSize, readZipDirectory } from '#providers/readers/shared/zip/zip-directory.ts';

/** Assumed ratio of the records to the text; limits the size of the workbook, unpacked. */
const MARKUP_RATIO = 8;
/** A longer text, or a larger merged area, is not repeated in the cells that it spans. */
const MAX_REPEATED_LENGTH = 60;
const MAX_FILLED_CELLS = 60;
/** SheetJS parses no formulas, macros and styles: they are not read. */
const OPTIONS = {
  type: 'buffer',
  dense: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  cellFormula: false,
  bookVBA: false,
} as const;

/** Reads binary Excel workbooks (`.xls`, `.xlsb`) with SheetJS, rendered like those of the present format, without hidden sheets. */
export const xlsReader: Reader = {
  name: 'xls',
  mediaTypes: [XLS, XLSB],
  async read({ path, mediaType }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    if (mediaType === XLSB) assertInflatedSize((await readZipDirectory(path)) ?? [], maxTextBytes * MARKUP_RATIO);
    const { read } = await import('@e965/xlsx');
    const workbook = parse(read, await readFile(path));
    const is1904 = workbook.Workbook?.WBProps?.date1904 === true;
    const builder = new TextBuilder(maxTextBytes);
    const { SheetNames: names, Workbook: properties } = workbook;
    const shown = names.filter((_, index) => (properties?.Sheets?.[index]?.Hidden ?? 0) === 0);
    for (const name of shown) {
      const sheet = workbook.Sheets[name] ?? {};
      const blocks = [...sheetBlocks(cellsOf(sheet, is1904)), ...commentsOf(sheet)];
      if (blocks.length > 0) builder.append(`## ${name.replace(/\s+/g, ' ').trim()}\n\n`);
      for (const block of blocks) builder.append(`${block}\n\n`);
    }
    return builder.build({ sheet_count: names.length, ...hiddenCount('sheet', names.length - shown.length) });
  },
};

function parse(read: typeof ReadWorkbook, bytes: Buffer): ReturnType<typeof read> {
  try {
    return read(bytes, OPTIONS);
  } catch (cause) {
    if (cause instanceof Error && /password|encrypt/i.test(cause.message)) {
      const message = 'The Excel workbook is protected by a password. Remove the password and upload it again.';
      throw new AppError('encrypted', message, { cause });
    }
    const message = 'The Excel workbook is damaged or truncated. Open it in Excel, save it as .xlsx and upload that.';
    throw new AppError('unreadable', message, { cause });
  }
}

/** The filled cells by row and column; a short text of a merged area is repeated in each of its cells. */
function cellsOf(sheet: Sheet, is1904: boolean): Map<number, Map<number, string>> {
  const cells = new Map<number, Map<number, string>>();
  // `forEach` passes over the gaps of a sheet whose cells are far apart.
  sheet['!data']?.forEach((row, y) => {
    const line = new Map<number, string>();
    row?.forEach((cell, x) => {
      const text = cellText(cell, is1904);
      if (text !== '') line.set(x, text);
    });
    if (line.size > 0) cells.set(y, line);
  });
  for (const { s: first, e: last } of sheet['!merges'] ?? []) {
    const text = cells.get(first.r)?.get(first.c) ?? '';
    const isSmall = (last.r - first.r + 1) * (last.c - first.c + 1) <= MAX_FILLED_CELLS;
    if (text === '' || text.length > MAX_REPEATED_LENGTH || !isSmall) continue;
    for (let y = first.r; y <= last.r; y += 1) {
      const line = cells.get(y) ?? new Map<number, string>();
      cells.set(y, line);
      for (let x = first.c; x <= last.c; x += 1) line.set(x, text);
    }
  }
  return cells;
}

function cellText({ t: kind, v: value, w: shown, z: format }: Cell, is1904: boolean): string {
  switch (kind) {
    case 'n':
      return formatNumber(String(value), numberFormatOf(0, typeof format === 'string' ? format : 'General'), {
        is1904,
      });
    case 'b':
      return value === true ? 'TRUE' : 'FALSE';
    case 's':
      return typeof value === 'string' ? value.trim() : '';
    case 'e':
      return shown ?? '';
    case 'd':
    case 'z':
      return '';
    default:
      return assertNever(kind);
  }
}

function commentsOf(sheet: Sheet): string[] {
  const comments: string[] = [];
  sheet['!data']?.forEach((row, y) =>
    row?.forEach(({ c: found = [] }, x) => {
      const text = found.map(({ t: part = '' }) => part.trim()).join(' ');
      if (text !== '') comments.push(`Comment on ${columnName(x)}${y + 1}: ${text}`);
    }),
  );
  return comments;
}

function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}
