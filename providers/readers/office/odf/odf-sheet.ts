import { HiddenCells } from '#providers/readers/office/sheets/hidden-cells.ts';
import { childrenOf, isElement, type XmlElement, type XmlNode } from '#providers/readers/shared/xml.ts';
import type { SheetCells } from '#providers/readers/office/sheets/sheet-blocks.ts';

/** Repetitions of a cell or row that are filled; sheets end in runs of a million empty ones. */
const MAX_FILLED_REPEATS = 1_000;
const MAX_SPANNED_LENGTH = 60;
const MAX_FORMULA_LENGTH = 500;
/** Names of the attributes with the values of each type, other than `value`. */
const VALUE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'string-value'],
  ['date', 'date-value'],
  ['time', 'time-value'],
  ['boolean', 'boolean-value'],
]);
const BLANKS = new Set(['text:s', 'text:tab', 'text:line-break']);
const ROWS = {
  part: 'table:table-row',
  groups: ['table:table-rows', 'table:table-header-rows', 'table:table-row-group'],
};
const COLUMNS = {
  part: 'table:table-column',
  groups: ['table:table-columns', 'table:table-header-columns', 'table:table-column-group'],
};

/** Reads the filled cells of an OpenDocument sheet, without hidden rows and columns. */
export function readOdfSheet(sheet: XmlElement): SheetCells {
  const cells = new Map<number, Map<number, string>>();
  const hidden = hiddenColumns(sheet);
  let y = 0;
  for (const row of partsOf(sheet, ROWS)) {
    const line = rowCells(row);
    const repeats = repeatsOf(row, 'table:number-rows-repeated');
    for (let copy = 0; copy < Math.min(repeats, MAX_FILLED_REPEATS); copy += 1) {
      if (line.size > 0) cells.set(y + copy, new Map(line));
      if (isHidden(row)) hidden.hideRow(y + copy);
    }
    y += repeats;
  }
  return hidden.visibleOf(cells);
}

function hiddenColumns(sheet: XmlElement): HiddenCells {
  const hidden = new HiddenCells();
  let x = 0;
  for (const column of partsOf(sheet, COLUMNS)) {
    const repeats = repeatsOf(column, 'table:number-columns-repeated');
    if (isHidden(column)) hidden.hideColumns(x, x + repeats - 1);
    x += repeats;
  }
  return hidden;
}

/** Whether a row or column is hidden, and not by a filter. */
function isHidden({ attributes }: XmlElement): boolean {
  return attributes['table:visibility'] === 'collapse';
}

/** The rows or columns of a sheet, also of those in groups; what a collapsed group hides is shown. */
function partsOf(parent: XmlElement, names: { part: string; groups: readonly string[] }): XmlElement[] {
  return childrenOf(parent, names.part, ...names.groups).flatMap((child) => {
    if (child.name === names.part) return [child];
    const parts = partsOf(child, names);
    if (child.attributes['table:display'] !== 'false') return parts;
    return parts.map((part) => ({ ...part, attributes: { ...part.attributes, 'table:visibility': 'visible' } }));
  });
}

function rowCells(row: XmlElement): Map<number, string> {
  const line = new Map<number, string>();
  let x = 0;
  for (const cell of childrenOf(row, 'table:table-cell', 'table:covered-table-cell')) {
    const repeats = repeatsOf(cell, 'table:number-columns-repeated');
    const paragraphs = childrenOf(cell, 'text:p');
    const text = paragraphs.length === 0 ? storedValue(cell) : paragraphs.map(plainText).join(' ').trim();
    const filled = text === '' ? 0 : Math.min(Math.max(repeats, spannedColumns(cell, text)), MAX_FILLED_REPEATS);
    for (let copy = 0; copy < filled; copy += 1) line.set(x + copy, text);
    x += repeats;
  }
  return line;
}

/** What a cell has instead of a text in sheets that libraries write: a value, or the formula that nobody has computed. */
function storedValue({ attributes }: XmlElement): string {
  const { 'office:value-type': kind = '', 'table:formula': formula = '' } = attributes;
  const value = attributes[`office:${VALUE_NAMES.get(kind) ?? 'value'}`];
  return value ?? formula.replace(/^\w{1,10}:(?==)/, '').slice(0, MAX_FORMULA_LENGTH);
}

/** The text of the cell, without comments and ruby text. */
function plainText(node: XmlNode): string {
  if (!isElement(node)) return node;
  if (node.name === 'office:annotation' || node.name === 'text:ruby-text') return '';
  if (BLANKS.has(node.name)) return ' ';
  return node.children.map(plainText).join('');
}

/**
 * The number of columns that a short text is repeated in, so that each of the spanned columns is understood by itself.
 */
function spannedColumns(cell: XmlElement, text: string): number {
  return text.length <= MAX_SPANNED_LENGTH ? repeatsOf(cell, 'table:number-columns-spanned') : 1;
}

function repeatsOf({ attributes }: XmlElement, name: string): number {
  const repeats = Number(attributes[name] ?? 1);
  return Number.isInteger(repeats) && repeats > 0 ? repeats : 1;
}
