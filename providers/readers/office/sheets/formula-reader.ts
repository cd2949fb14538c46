import { childOf, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';

const MAX_FORMULA_LENGTH = 500;
/** Functions newer than 2007 have prefixes in files. */
const PREFIX = /_xl(?:fn|ws)\./g;
/** Texts and names of sheets in quotation marks; references to cells. */
const REFERENCE = /"[^"]*"|'[^']*'|(?<![\w.$])\$?[A-Z]{1,3}\$?\d{1,7}(?![\w.(])/g;
const PARTS = /^(\$?)([A-Z]{1,3})(\$?)(\d{1,7})$/;

/** Reads the formula of a cell, e.g. `=SUM(A1:A3)`; empty without one. `x` and `y` are its column and row. */
export type FormulaReader = (cell: XmlElement, place: { x: number; y: number }) => string;

/** Creates the reader for a sheet. Of a formula that several cells share, only the first one has the text. */
export function createFormulaReader(): FormulaReader {
  const shared = new Map<string, { text: string; x: number; y: number }>();
  return (cell, { x, y }) => {
    const formula = childOf(cell, 'f');
    if (formula === undefined) return '';
    const { t: kind, si: id = '' } = formula.attributes;
    const text = textOf(formula).replace(PREFIX, '').trim().slice(0, MAX_FORMULA_LENGTH);
    if (kind === 'shared' && text !== '') shared.set(id, { text, x, y });
    const origin = kind === 'shared' && text === '' ? shared.get(id) : undefined;
    const shown = origin ? moveReferences(origin.text, { dx: x - origin.x, dy: y - origin.y }) : text;
    return shown === '' ? '' : `=${shown}`;
  };
}

/** The formula as it reads in a cell that is so many columns and rows away. */
function moveReferences(formula: string, { dx, dy }: { dx: number; dy: number }): string {
  return formula.replace(REFERENCE, (reference) => {
    const [, columnMark = '', column, rowMark = '', row] = PARTS.exec(reference) ?? [];
    if (column === undefined || row === undefined) return reference;
    const movedColumn = columnMark === '$' ? column : columnName(columnNumber(column) + dx);
    return `${columnMark}${movedColumn}${rowMark}${rowMark === '$' ? row : Number(row) + dy}`;
  });
}

/** The number of a column, from 0: `BC` is 54. */
export function columnNumber(letters: string): number {
  return letters.split('').reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function columnName(column: number): string {
  let name = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}
