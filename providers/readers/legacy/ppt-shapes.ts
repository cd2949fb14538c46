import { findRecord, RECORD, recordsOf, type PptRecord } from './ppt-records.ts';
import { readPptText, type PptParagraph, type PptText } from './ppt-text.ts';

/** A text of a slide; a table has its cells row by row. */
export type PptShape =
  | { kind: 'title' | 'body' | 'notes' | 'other'; paragraphs: PptParagraph[] }
  | { kind: 'table'; rows: PptParagraph[][][] };

/** Types of texts ([MS-PPT] 2.13.33). */
const KINDS: ReadonlyMap<number, 'title' | 'body' | 'notes'> = new Map([
  [0, 'title'],
  [6, 'title'],
  [1, 'body'],
  [5, 'body'],
  [7, 'body'],
  [8, 'body'],
  [2, 'notes'],
]);
/** Date, slide number, footer and header, which every slide has ([MS-PPT] 2.13.15). */
const FURNITURE = new Set([0x07, 0x08, 0x09, 0x0a]);
/** The properties of a group that is a table ([MS-ODRAW] 2.3.4.38). */
const TABLE_PROPERTY = 0x039f;
const PROPERTY_BYTES = 6;
const MAX_DEPTH = 32;
const MAX_COMMENT_DEPTH = 8;
const COMMENT_TEXT = 1;

/** The texts of a slide or of its notes. `outline`: the records of the texts that are kept in the list of slides. */
export function readPptShapes(slide: PptRecord, outline: readonly (readonly PptRecord[])[]): PptShape[] {
  const drawing = findRecord(slide.data, RECORD.drawing);
  const container = findRecord(drawing?.data, RECORD.drawingContainer);
  const root = findRecord(container?.data, RECORD.shapeGroup);
  return root ? shapesOf(root, outline, 0) : [];
}

function shapesOf(group: PptRecord, outline: readonly (readonly PptRecord[])[], depth: number): PptShape[] {
  if (depth > MAX_DEPTH) return [];
  const children = recordsOf(group.data);
  const [self] = children;
  if (depth > 0 && self && isTable(self)) return [{ kind: 'table', rows: rowsOf(children.slice(1)) }];
  return children.flatMap((child) => {
    if (child.type === RECORD.shapeGroup) return shapesOf(child, outline, depth + 1);
    if (child.type !== RECORD.shape) return [];
    const text = isFurniture(child) ? null : textOf(child, outline);
    return text ? [{ kind: KINDS.get(text.type) ?? 'other', paragraphs: text.paragraphs }] : [];
  });
}

/** The text of a shape itself, or the one of the list of slides to which it refers. */
function textOf(shape: PptRecord, outline: readonly (readonly PptRecord[])[]): PptText | null {
  const box = findRecord(shape.data, RECORD.clientTextbox);
  if (!box) return null;
  const records = recordsOf(box.data);
  const reference = records.find(({ type }) => type === RECORD.outlineTextRef);
  return readPptText(reference ? (outline[reference.data.readUInt32LE(0)] ?? []) : records);
}

function isFurniture(shape: PptRecord): boolean {
  const placeholder = findRecord(findRecord(shape.data, RECORD.clientData)?.data, RECORD.placeholder);
  return placeholder !== undefined && FURNITURE.has(placeholder.data.readUInt8(4));
}

/** Whether the shape of a group says that the group is a table. */
function isTable(shape: PptRecord): boolean {
  const options = findRecord(shape.data, RECORD.tertiaryOptions);
  if (!options) return false;
  const count = Math.min(options.instance, Math.floor(options.data.length / PROPERTY_BYTES));
  return Array.from({ length: count }, (_, index) => options.data.readUInt16LE(index * PROPERTY_BYTES) & 0x3fff).some(
    (property) => property === TABLE_PROPERTY && isSet(options.data, TABLE_PROPERTY),
  );
}

function isSet(options: Buffer, property: number): boolean {
  for (let at = 0; at + PROPERTY_BYTES <= options.length; at += PROPERTY_BYTES)
    if ((options.readUInt16LE(at) & 0x3fff) === property) return (options.readUInt32LE(at + 2) & 1) !== 0;
  return false;
}

/** The cells of a table by their places: lines and borders have no text. */
function rowsOf(shapes: readonly PptRecord[]): PptParagraph[][][] {
  const cells = shapes.flatMap((shape) => {
    const anchor = findRecord(shape.data, RECORD.childAnchor)?.data;
    const isCell = anchor !== undefined && findRecord(shape.data, RECORD.clientTextbox) !== undefined;
    if (!isCell) return [];
    return [
      { left: anchor.readInt32LE(0), top: anchor.readInt32LE(4), paragraphs: textOf(shape, [])?.paragraphs ?? [] },
    ];
  });
  const columns = [...new Set(cells.map(({ left }) => left))].sort((a, b) => a - b);
  const byRow = Map.groupBy(
    cells.toSorted((a, b) => a.top - b.top),
    ({ top }) => top,
  );
  return [...byRow.values()].map((row) =>
    columns.map((left) => row.find((cell) => cell.left === left)?.paragraphs ?? []),
  );
}

/** The texts of the comments on a slide ([MS-PPT] 2.5.23), which are among its tags. */
export function commentsOf(slide: PptRecord): string[] {
  const found: string[] = [];
  const visit = (records: readonly PptRecord[], depth: number): void => {
    for (const { type, data } of records) {
      if (type === RECORD.comment) {
        const text = recordsOf(data).find((one) => one.type === RECORD.string && one.instance === COMMENT_TEXT);
        if (text) found.push(text.data.toString('utf16le'));
      } else if (depth < MAX_COMMENT_DEPTH && COMMENT_PARENTS.has(type)) visit(recordsOf(data), depth + 1);
    }
  };
  visit(recordsOf(slide.data), 0);
  return found;
}

const COMMENT_PARENTS: ReadonlySet<number> = new Set([RECORD.programTags, RECORD.programTag, RECORD.programData]);
