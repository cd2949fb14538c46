import { AppError } from '#domain/app-error.ts';
import { columnNumber, createFormulaReader, type FormulaReader } from './formula-reader.ts';
import { HiddenCells } from './hidden-cells.ts';
import { type NumberFormat, formatNumber } from './number-formats.ts';
import { readPackageRelationships } from '../package-relationships.ts';
import { childOf, childrenOf, forEachElement, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';
import type { ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';
import type { SheetCells } from './sheet-blocks.ts';

/** What the sheets of a workbook share. */
export type XlsxWorkbook = {
  sharedStrings: readonly string[];
  numberFormats: readonly NumberFormat[];
  /** Days are counted from 1904. */
  is1904: boolean;
};

/** Limits of Excel itself. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** A merged area of more cells is not filled with its text. */
const MAX_FILLED_MERGE_CELLS = 60;
const MAX_REPEATED_LENGTH = 60;
const READ_ELEMENTS = new Set(['col', 'row', 'mergeCell', 'autoFilter']);

/** Reads the table of texts that cells reference. */
export async function readSharedStrings(archive: ZipArchive, part: string): Promise<string[]> {
  const texts: string[] = [];
  const xml = await archive.text(part);
  if (xml !== null) await forEachElement(xml, new Set(['si']), (element) => texts.push(richText(element)));
  return texts;
}

/**
 * Reads the filled cells of a sheet. A formula without a stored value is shown itself: libraries write such files, and compute
 * nothing. A short text of a merged area is repeated in each of its cells. Hidden rows and columns are not read.
 */
export async function readXlsxSheet(archive: ZipArchive, part: string, workbook: XlsxWorkbook): Promise<SheetCells> {
  const xml = await archive.text(part);
  if (xml === null) return new Map();
  const cells = new Map<number, Map<number, string>>();
  const merged: string[] = [];
  let nextRow = 0;
  const formulaOf = createFormulaReader();
  const hidden = new HiddenCells();
  await forEachElement(xml, READ_ELEMENTS, (element) => {
    const { ref = '', r } = element.attributes;
    if (element.name === 'autoFilter') return hidden.addFilter(rowsOfRange(ref));
    const isHidden = isTrue(element.attributes['hidden']) && element.attributes['outlineLevel'] === undefined;
    if (element.name === 'col') {
      if (isHidden) hidden.hideColumns(Number(element.attributes['min']) - 1, Number(element.attributes['max']) - 1);
      return;
    }
    if (element.name === 'mergeCell') {
      merged.push(ref);
      return;
    }
    const y = r === undefined ? nextRow : Number(r) - 1;
    nextRow = y + 1;
    if (!(y >= 0 && y < MAX_ROWS))
      throw new AppError(
        'unreadable',
        'The Excel workbook has rows out of range. Save it again in Excel and upload it.',
      );
    if (isHidden) hidden.hideRow(y);
    const line = rowCells(element, { y, workbook, formulaOf });
    if (line.size > 0) cells.set(y, new Map([...(cells.get(y) ?? []), ...line]));
  });
  for (const reference of merged) fillMerged(cells, reference);
  if (hidden.hasRows)
    for (const reference of await tableFilters(archive, part)) hidden.addFilter(rowsOfRange(reference));
  return hidden.visibleOf(cells);
}

/** The cells of the tables in a sheet, which have filters of their own. */
async function tableFilters(archive: ZipArchive, sheet: string): Promise<string[]> {
  const references: string[] = [];
  for (const { type, path } of (await readPackageRelationships(archive, sheet)).values()) {
    const xml = type.endsWith('/table') ? await archive.text(path) : null;
    if (xml !== null)
      await forEachElement(xml, new Set(['autoFilter']), ({ attributes }) => references.push(attributes['ref'] ?? ''));
  }
  return references;
}

/** The rows of a range such as `A1:C20`, counted from 0. */
function rowsOfRange(reference: string): { first: number; last: number } {
  const [first = Number.NaN, last = first] = reference.split(':').map((place) => Number(/\d+$/.exec(place)?.[0]) - 1);
  return { first, last };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

type RowReading = { y: number; workbook: XlsxWorkbook; formulaOf: FormulaReader };

function rowCells(row: XmlElement, { y, workbook, formulaOf }: RowReading): Map<number, string> {
  const line = new Map<number, string>();
  let nextColumn = 0;
  for (const cell of childrenOf(row, 'c')) {
    const x = columnOf(cell.attributes['r']) ?? nextColumn;
    nextColumn = x + 1;
    const formula = formulaOf(cell, { x, y });
    const text = cellText(cell, workbook) || (hasStoredValue(cell) ? '' : formula);
    if (text !== '' && x < MAX_COLUMNS) line.set(x, text);
  }
  return line;
}

/** The result of a formula that is an empty text is stored, too. */
function hasStoredValue(cell: XmlElement): boolean {
  return cell.attributes['t'] === 'str' && childOf(cell, 'v') !== undefined;
}

function cellText(cell: XmlElement, { sharedStrings, numberFormats, is1904 }: XlsxWorkbook): string {
  const value = childrenOf(cell, 'v').map(textOf).join('');
  switch (cell.attributes['t'] ?? 'n') {
    case 's':
      return value === '' ? '' : decodeEscapes(sharedStrings[Number(value)] ?? '');
    case 'inlineStr':
      return decodeEscapes(childrenOf(cell, 'is').map(richText).join(''));
    case 'b':
      return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE';
    case 'str':
    case 'e':
    case 'd':
      return decodeEscapes(value);
    default:
      return value === ''
        ? ''
        : formatNumber(value, numberFormats[Number(cell.attributes['s'] ?? 0)] ?? null, { is1904 });
  }
}

/** The runs of a text, without the phonetic guides of East Asian scripts. */
export function richText(element: XmlElement): string {
  return childrenOf(element, 't', 'r')
    .map((child) => (child.name === 't' ? textOf(child) : childrenOf(child, 't').map(textOf).join('')))
    .join('');
}

/** Characters that XML cannot represent are escaped as `_x000D_`. */
function decodeEscapes(text: string): string {
  return text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .trim();
}

/** The column of a cell reference, from 0: `BC12` is column 54; null without a reference. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  return letters === undefined ? null : columnNumber(letters);
}

function fillMerged(cells: Map<number, Map<number, string>>, reference: string): void {
  const [from = '', to = ''] = reference.split(':');
  const [left, right] = [columnOf(from), columnOf(to)];
  const [top, bottom] = [Number(/\d+$/.exec(from)?.[0]) - 1, Number(/\d+$/.exec(to)?.[0]) - 1];
  if (left === null || right === null || !(bottom >= top)) return;
  const text = cells.get(top)?.get(left) ?? '';
  const isSmall = (right - left + 1) * (bottom - top + 1) <= MAX_FILLED_MERGE_CELLS;
  if (text === '' || text.length > MAX_REPEATED_LENGTH || !isSmall) return;
  for (let y = top; y <= bottom; y += 1) {
    const line = cells.get(y) ?? new Map<number, string>();
    cells.set(y, line);
    for (let x = left; x <= right; x += 1) line.set(x, text);
  }
}
