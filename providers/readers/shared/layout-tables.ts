import type { parseHTML as ParseHtml } from 'linkedom';

type Element = ReturnType<typeof ParseHtml>['document']['documentElement'];
type Table = {
  role: string;
  rows: Element[][];
  /** Cells with text, in document order. */
  filled: Element[];
  /** Most cells of a row. */
  columns: number;
};

/** A longer cell is part of a page layout, not a value of a table. */
const MAX_CELL_LENGTH = 2000;
/** A heading above more text than this begins a section of the page; above less it is the label of a cell. */
const MAX_HEADED_LENGTH = 500;
const HEADINGS = 'h1,h2,h3';
/** Content that needs lines of its own: a row without it is one line. */
const BLOCKS = 'p,div,table,ul,ol,dl,pre,blockquote,h1,h2,h3,h4,h5,h6,hr';

/**
 * Replaces the tables that only place the text of a page by their content: frames of one cell, tables with the role of a
 * presentation, columns of blocks. Tables within them stay. In an office document, where tables are not used for layout, a
 * column of several cells is a table.
 */
export function unwrapLayoutTables(root: Element, { isOffice }: { isOffice: boolean }): void {
  const tables = new Map<Element, Table>();
  for (const element of root.querySelectorAll('table')) tables.set(element, tableOf(element));
  for (const [element, table] of tables) {
    const isGrid = (inner: Element): boolean => {
      const { rows = [], columns = 0 } = tables.get(inner) ?? {};
      return rows.length > 1 && columns > 1;
    };
    const framing = table.filled.filter((cell) => [...cell.querySelectorAll('table')].some(isGrid));
    if (isLayout(table, { framing, isOffice })) unwrap(element, table.rows);
  }
}

function tableOf(element: Element): Table {
  const rows = [...element.querySelectorAll('tr')]
    .filter((row) => row.closest('table') === element)
    .map((row) => [...row.children].filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH'))
    .filter((cells) => cells.length > 0);
  return {
    role: element.getAttribute('role') ?? '',
    rows,
    filled: rows.flat().filter((cell) => lengthOf(cell) > 0),
    columns: rows.reduce((most, row) => Math.max(most, row.length), 0),
  };
}

/** `framing` are the cells around a table of at least two rows and two columns. */
function isLayout(table: Table, { framing, isOffice }: { framing: Element[]; isOffice: boolean }): boolean {
  const { role, rows, filled } = table;
  if (role === 'presentation' || role === 'none') return true;
  if (rows.flat().length <= 1 || filled.some((cell) => lengthOf(cell) > MAX_CELL_LENGTH)) return true;
  if (table.columns === 1) return !isColumn(table, isOffice) || framing.length > 0;
  const headed = filled.filter((cell) => cell.querySelector(HEADINGS) !== null);
  if (rows.length === 1 && framing.length + headed.length > 0) return true;
  if (filled.length === 1 && framing.length > 0) return true;
  if (headed.some((cell) => lengthOf(cell) > MAX_HEADED_LENGTH)) return true;
  return !isOffice && framing.length > 0 && rows.every((row) => isFraming(row, framing));
}

/** A row of several texts without a table among them is a row of values. */
function isFraming(row: readonly Element[], framing: readonly Element[]): boolean {
  return row.some((cell) => framing.includes(cell)) || row.filter((cell) => lengthOf(cell) > 0).length <= 1;
}

/** A column of values: on a page, only one with a header cell on top. */
function isColumn({ rows }: Table, isOffice: boolean): boolean {
  const [header, ...others] = rows.flat();
  const hasHeader = header?.nodeName === 'TH' && others.every(({ nodeName }) => nodeName === 'TD');
  return rows.length > 1 && (isOffice || hasHeader);
}

/** Cells become blocks; a row of cells without blocks is one line. */
function unwrap(element: Element, rows: readonly Element[][]): void {
  const { ownerDocument: document } = element;
  const place = document.createElement('div');
  const block = (from: Element): void => moveContent(from, place.appendChild(document.createElement('div')));
  for (const child of element.children) if (child.nodeName === 'CAPTION') block(child);
  for (const row of rows) {
    if (row.length === 1 || row.some((cell) => cell.querySelector(BLOCKS) !== null)) row.forEach(block);
    else {
      const line = place.appendChild(document.createElement('p'));
      for (const cell of row) {
        moveContent(cell, line);
        line.append(' ');
      }
    }
  }
  // Without rows, what it contains is kept as it is.
  if (rows.length === 0) moveContent(element, place);
  element.replaceWith(place);
}

/** One by one: there may be more nodes than a call has arguments. */
function moveContent(from: Element, to: Element): void {
  for (let child = from.firstChild; child; child = from.firstChild) to.appendChild(child);
}

function lengthOf(element: Element): number {
  return (element.textContent ?? '').replace(/\s+/g, ' ').trim().length;
}
