import type { FileHandle } from 'node:fs/promises';
import { DOC, ENCRYPTED_OFFICE, MSG, PPT, XLS } from './media-types.ts';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Maximum bytes of an entry name in UTF-16; its length with the terminating zero follows. */
const NAME_BYTES = 64;
/** Number of FAT sectors listed in the header itself. */
const LISTED_IN_HEADER = 109;
const FIRST_LISTED = 76;
const NO_SECTOR = 0xffff_fffa;
/** The entries that identify the type are among the first; the limit also ends circular chains. */
const MAX_DIRECTORY_SECTORS = 256;

/** Streams and storages that identify a type, first match first: an encrypted package may have others next to it. */
const TYPE_BY_ENTRY: readonly (readonly [entry: string, mediaType: string])[] = [
  ['EncryptedPackage', ENCRYPTED_OFFICE],
  ['WordDocument', DOC],
  ['Workbook', XLS],
  ['Book', XLS],
  ['PowerPoint Document', PPT],
  ['__properties_version1.0', MSG],
];

/**
 * The type of binary Office document in an OLE compound file ([MS-CFB] 2.2, 2.3, 2.6), by the names in its directory;
 * null when they identify none, or the file is truncated or damaged.
 */
export async function compoundFileType(file: FileHandle): Promise<string | null> {
  const header = await bytesAt(file, 0, HEADER_BYTES);
  if (header === null) return null;
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return null;
  const sectorBytes = 2 ** shift;
  const readSector = (sector: number): Promise<Buffer | null> => bytesAt(file, (sector + 1) * sectorBytes, sectorBytes);
  const names = new Set<string>();
  let sector = header.readUInt32LE(48);
  for (let count = 0; sector < NO_SECTOR && count < MAX_DIRECTORY_SECTORS; count += 1) {
    const entries = await readSector(sector);
    if (entries === null) break;
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) names.add(nameOf(entries.subarray(at, at + ENTRY_BYTES)));
    // The FAT has four bytes for each sector: the number of the next sector.
    const place = (sector * 4) / sectorBytes;
    if (place >= LISTED_IN_HEADER) break;
    const table = await readSector(header.readUInt32LE(FIRST_LISTED + Math.floor(place) * 4));
    if (table === null) break;
    sector = table.readUInt32LE((sector * 4) % sectorBytes);
  }
  return TYPE_BY_ENTRY.find(([entry]) => names.has(entry))?.[1] ?? null;
}

function nameOf(entry: Buffer): string {
  const length = Math.min(NAME_BYTES, entry.readUInt16LE(NAME_BYTES));
  return entry.toString('utf16le', 0, Math.max(0, length - 2));
}

/** Null when the file is shorter. */
async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer | null> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytesRead === length ? bytes : null;
}
