import { AppError } from '#domain/app-error.ts';
import { openRandomAccess, type RandomAccess } from './random-access.ts';

export type ZipEntry = {
  name: string;
  sizeBytes: number;
  compressedBytes: number;
  /** Offset of the local header. */
  offset: number;
  method: number;
  flags: number;
};

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
/** Marks a value that is stored in a ZIP64 record; no document requires one. */
const ZIP64 = 0xffff;

/**
 * Reads the central directory of a ZIP file (APPNOTE 4.3.12, 4.3.16) without inflating anything. Null when there is
 * none: not a ZIP file, truncated, or more than 65,534 entries.
 */
export async function readZipDirectory(source: string | Buffer): Promise<ZipEntry[] | null> {
  const file = await openRandomAccess(source);
  try {
    const size = file.sizeBytes;
    const end = await findEnd(file);
    if (end === null || end.entries === ZIP64 || end.bytes > MAX_DIRECTORY_BYTES || end.offset + end.bytes > size)
      return null;
    return parseEntries(await file.read(end.offset, end.bytes), end.entries);
  } finally {
    await file.close();
  }
}

/** @throws AppError `read_output_limit` when the declared sizes of the entries exceed the limit. */
export function assertInflatedSize(entries: readonly ZipEntry[], maxBytes: number): void {
  const sizeBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
  if (sizeBytes <= maxBytes) return;
  const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  throw new AppError(
    'read_output_limit',
    `The document unpacks to ${mebibytes(sizeBytes)}; the limit is ${mebibytes(maxBytes)}. Split it into smaller documents.`,
  );
}

async function findEnd(file: RandomAccess): Promise<{ entries: number; bytes: number; offset: number } | null> {
  const length = Math.min(file.sizeBytes, END_BYTES + MAX_COMMENT_BYTES);
  const tail = await file.read(file.sizeBytes - length, length);
  for (let at = length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    return {
      entries: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
  }
  return null;
}

function parseEntries(directory: Buffer, count: number): ZipEntry[] | null {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE) return null;
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength),
      compressedBytes: directory.readUInt32LE(at + 20),
      sizeBytes: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
      method: directory.readUInt16LE(at + 10),
      flags: directory.readUInt16LE(at + 8),
    });
    at += ENTRY_BYTES + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}
