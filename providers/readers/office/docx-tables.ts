import { childOf, childrenOf, descendantsOf, isElement, type XmlElement } from '#providers/readers/shared/xml.ts';

/** Marks between rows and cells; with one of them in a table, mammoth ignores which of its cells are merged. */
const MARKS =
  /^w:(?:bookmark|commentRange|moveFromRange|moveToRange|perm|customXml\w+Range)(?:Start|End)$|^w:proofErr$/;
const MAX_COLUMNS = 63;

/**
 * Rewrites the tables of a document in the form that mammoth reads: without marks between cells, with empty cells where a row
 * begins after the first column or ends before the last, and with the older way of merging cells as the present one.
 */
export function prepareDocxTables(document: XmlElement): void {
  for (const table of descendantsOf(document, 'w:tbl')) {
    removeMarks(table);
    for (const row of descendantsOf(table, 'w:tr')) {
      removeMarks(row);
      fillRow(row);
      mergeCells(row);
    }
    for (const child of childrenOf(table)) prepareDocxTables(child);
  }
}

function removeMarks(element: XmlElement): void {
  element.children = element.children.filter((child) => !isElement(child) || !MARKS.test(child.name));
}

/** Columns that the row leaves out (ECMA-376, part 1, 17.4.14 and 17.4.15). */
function fillRow(row: XmlElement): void {
  const properties = childOf(row, 'w:trPr');
  const skipped = (name: string): XmlElement[] => {
    const columns = Number(childOf(properties, name)?.attributes['w:val'] ?? 0);
    return columns >= 1 && columns <= MAX_COLUMNS ? [emptyCell(columns)] : [];
  };
  const place = row.children.findIndex((child) => isElement(child) && !child.name.endsWith('Pr'));
  row.children.splice(Math.max(0, place), 0, ...skipped('w:gridBefore'));
  row.children.push(...skipped('w:gridAfter'));
}

function emptyCell(columns: number): XmlElement {
  const span: XmlElement = { name: 'w:gridSpan', attributes: { 'w:val': String(columns) }, children: [] };
  return {
    name: 'w:tc',
    attributes: {},
    children: [
      { name: 'w:tcPr', attributes: {}, children: [span] },
      { name: 'w:p', attributes: {}, children: [] },
    ],
  };
}

/** `w:hMerge` marks the cells that continue the one before; `w:gridSpan` counts the columns of a cell. */
function mergeCells(row: XmlElement): void {
  const groups: XmlElement[][] = [];
  for (const cell of childrenOf(row, 'w:tc')) {
    const merge = childOf(childOf(cell, 'w:tcPr'), 'w:hMerge');
    const group = merge !== undefined && merge.attributes['w:val'] !== 'restart' ? groups.at(-1) : undefined;
    if (group) group.push(cell);
    else groups.push([cell]);
  }
  const merged = groups.filter(({ length }) => length > 1);
  for (const [first, ...others] of merged) {
    const span = { name: 'w:gridSpan', attributes: { 'w:val': String(others.length + 1) }, children: [] };
    childOf(first, 'w:tcPr')?.children.push(span);
  }
  const continued = new Set(merged.flatMap(([, ...others]) => others));
  row.children = row.children.filter((child) => !isElement(child) || !continued.has(child));
}
