/** A run of the stream with a formatting of its own. */
export type FormattedRun = {
  start: number;
  end: number;
  /** Index of the style of a paragraph. */
  style?: number;
  /** Whether the paragraph is in a table, and whether it is the end of a row. */
  isInTable?: boolean;
  isRowEnd?: boolean;
};

const PAGE_BYTES = 512;
/** Places in the header of the tables of formatting: of characters, and of paragraphs. */
const CHARACTER_TABLE = 0xfa;
const PARAGRAPH_TABLE = 0x102;
const IN_TABLE = 0x2416;
const ROW_END = 0x2417;
/** Deleted while changes were tracked, and hidden. */
const HIDING = new Set([0x0800, 0x083c]);
/** Bytes of an operand by the type in the upper bits of its code; 6 has a length before it. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3];
const LONG_TABLE_DEFINITION = 0xd608;

/** The formatting of paragraphs, and the characters that are not shown ([MS-DOC] 2.9.103, 2.9.174), by their places. */
export function readDocFormatting(main: Buffer, table: Buffer): { paragraphs: FormattedRun[]; hidden: FormattedRun[] } {
  const paragraphs = pagesOf(main, table, PARAGRAPH_TABLE).flatMap((page) => runsOf(page, 13, paragraphRun));
  const hidden = pagesOf(main, table, CHARACTER_TABLE).flatMap((page) => runsOf(page, 1, hiddenRun));
  const byPlace = (a: FormattedRun, b: FormattedRun): number => a.start - b.start;
  return { paragraphs: paragraphs.sort(byPlace), hidden: hidden.sort(byPlace) };
}

/** The pages that a table lists; a table that leads out of the file lists none. */
function pagesOf(main: Buffer, table: Buffer, place: number): Buffer[] {
  const [start, length] = [main.readUInt32LE(place), main.readUInt32LE(place + 4)];
  const count = Math.floor((length - 4) / 8);
  if (count < 1 || start + length > table.length) return [];
  const pages = start + (count + 1) * 4;
  const numbers = new Set(
    Array.from({ length: count }, (_, index) => table.readUInt32LE(pages + index * 4) & 0x3f_ffff),
  );
  return [...numbers]
    .map((number) => main.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES))
    .filter((page) => page.length === PAGE_BYTES);
}

type ReadRun = (page: Buffer, at: number) => Omit<FormattedRun, 'start' | 'end'> | null;

/** A page has the places of its runs, then for each an entry whose first byte is half of the place of its formatting. */
function runsOf(page: Buffer, entryBytes: number, read: ReadRun): FormattedRun[] {
  const count = page.readUInt8(PAGE_BYTES - 1);
  if ((count + 1) * 4 + count * entryBytes > PAGE_BYTES - 1) return [];
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const [start, end] = [page.readUInt32LE(index * 4), page.readUInt32LE((index + 1) * 4)];
    const at = page.readUInt8((count + 1) * 4 + index * entryBytes) * 2;
    const run = at === 0 || end <= start ? null : read(page, at);
    return run ? [{ start, end, ...run }] : [];
  });
}

function paragraphRun(page: Buffer, at: number): Omit<FormattedRun, 'start' | 'end'> | null {
  const words = page.readUInt8(at);
  // A length of zero is followed by the true one.
  const [start, length] = words === 0 ? [at + 2, 2 * page.readUInt8(at + 1)] : [at + 1, 2 * words - 1];
  if (length < 2 || start + length > PAGE_BYTES) return null;
  const operations = operationsOf(page.subarray(start + 2, start + length));
  const is = (code: number): boolean => operations.get(code) === 1;
  return { style: page.readUInt16LE(start), isInTable: is(IN_TABLE), isRowEnd: is(ROW_END) };
}

function hiddenRun(page: Buffer, at: number): Omit<FormattedRun, 'start' | 'end'> | null {
  const operations = operationsOf(page.subarray(at + 1, at + 1 + page.readUInt8(at)));
  return [...operations].some(([code, operand]) => HIDING.has(code) && operand === 1) ? {} : null;
}

/** The first byte of each operand, by the code of the operation. */
function operationsOf(bytes: Buffer): Map<number, number> {
  const operations = new Map<number, number>();
  for (let at = 0; at + 2 < bytes.length;) {
    const code = bytes.readUInt16LE(at);
    operations.set(code, bytes.readUInt8(at + 2));
    const type = code >>> 13;
    at += 2;
    if (code === LONG_TABLE_DEFINITION) at += at + 2 <= bytes.length ? bytes.readUInt16LE(at) + 1 : bytes.length;
    else at += type === 6 ? bytes.readUInt8(at) + 1 : (OPERAND_BYTES[type] ?? 1);
  }
  return operations;
}
