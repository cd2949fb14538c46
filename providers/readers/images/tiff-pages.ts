/** More pages than OCR can read in the time for a document. */
const MAX_PAGES = 2_000;
/** Offset in the header of the first directory (IFD); before it is the byte order mark. */
const FIRST_DIRECTORY = 4;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
/** The tag NewSubfileType, and the two types that are not pages: previews and masks. */
const SUBFILE_TYPE = 254;
const PREVIEW = 1;
const MASK = 4;

/**
 * Offsets of the directories (IFDs) of the pages of a TIFF file, in order (TIFF 6.0, section 2), for `selectTiffPage`.
 * Empty for files without such directories, like BigTIFF. A chain that is circular or leads out of the file ends there.
 */
export function tiffPages(bytes: Buffer): number[] {
  const read = integerReaderOf(bytes);
  const pages: number[] = [];
  const seen = new Set<number>();
  if (!read) return pages;
  for (let at = read.uint32(FIRST_DIRECTORY); at >= HEADER_BYTES && !seen.has(at) && pages.length < MAX_PAGES;) {
    seen.add(at);
    if (at + 2 > bytes.length) break;
    const entries = read.uint16(at);
    const next = at + 2 + entries * ENTRY_BYTES;
    if (next + 4 > bytes.length) break;
    if (isPage(read, at + 2, entries)) pages.push(at);
    at = read.uint32(next);
  }
  return pages;
}

/** Makes a page the first of its file, in place: image decoders read the first page. */
export function selectTiffPage(bytes: Buffer, at: number): void {
  if (bytes[0] === 0x49) bytes.writeUInt32LE(at, FIRST_DIRECTORY);
  else bytes.writeUInt32BE(at, FIRST_DIRECTORY);
}

type IntegerReader = { uint16(at: number): number; uint32(at: number): number };

function integerReaderOf(bytes: Buffer): IntegerReader | null {
  const mark = bytes.toString('latin1', 0, 4);
  if (bytes.length < HEADER_BYTES) return null;
  if (mark === 'II*\0') return { uint16: (at) => bytes.readUInt16LE(at), uint32: (at) => bytes.readUInt32LE(at) };
  if (mark === 'MM\0*') return { uint16: (at) => bytes.readUInt16BE(at), uint32: (at) => bytes.readUInt32BE(at) };
  return null;
}

/** Tags are in ascending order, and NewSubfileType is the lowest. */
function isPage(read: IntegerReader, firstEntry: number, entries: number): boolean {
  if (entries === 0) return false;
  if (read.uint16(firstEntry) !== SUBFILE_TYPE) return true;
  return (read.uint32(firstEntry + 8) & (PREVIEW | MASK)) === 0;
}
