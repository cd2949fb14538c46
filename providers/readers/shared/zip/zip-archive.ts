import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { AppError } from '#domain/app-error.ts';
import { charsetOfByteOrderMark } from '../decode-text.ts';
import { openRandomAccess } from './random-access.ts';
import { assertInflatedSize, readZipDirectory, type ZipEntry } from './zip-directory.ts';

const inflate = promisify(inflateRaw);
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
const MAX_ENTRIES = 20_000;

export type ZipArchive = {
  names: readonly string[];
  /**
   * Reads an entry; null when there is none of this name. @throws AppError `unreadable`, `encrypted`,
   * `read_output_limit`.
   */
  read(name: string): Promise<Buffer | null>;
  /** Reads an entry as text: UTF-8, or the encoding of its byte order mark. */
  text(name: string): Promise<string | null>;
  /** Opens a package that is part of this one; what is read of it counts against the same limit. */
  openPackage(bytes: Buffer): Promise<ZipArchive>;
};

export type ZipOptions = {
  /** Name of the format in messages, e.g. `Word document`. */
  formatName: string;
  /** Maximum bytes, inflated, of all entries that are read. */
  maxBytes: number;
};

/**
 * Opens a ZIP package for reading single entries. The declared size of an entry is checked against its inflated size,
 * and all entries that are read count against one limit.
 * @throws AppError `unreadable` for a file that is no ZIP file or is truncated.
 */
export function openZip(path: string, { formatName, maxBytes }: ZipOptions): Promise<ZipArchive> {
  return openPackage(path, formatName, { leftBytes: maxBytes });
}

/** Bytes that may still be read. */
type Budget = { leftBytes: number };

async function openPackage(source: string | Buffer, formatName: string, budget: Budget): Promise<ZipArchive> {
  const entries = await readZipDirectory(source);
  if (entries === null) {
    throw new AppError(
      'unreadable',
      `The ${formatName} is damaged or truncated. Save it again in the program that created it, and upload it.`,
    );
  }
  if (entries.length > MAX_ENTRIES) {
    throw new AppError(
      'unreadable',
      `The ${formatName} contains ${entries.length} parts; the limit is ${MAX_ENTRIES}. Split it into smaller files.`,
    );
  }
  // Part names are case-insensitive, and some writers use backslashes (ECMA-376, part 2, 7.2.3); names of files on a Mac are decomposed.
  const byName = new Map(entries.map((entry) => [normalizedName(entry.name), entry]));
  for (const entry of entries) byName.set(entry.name, entry);
  const read = async (name: string): Promise<Buffer | null> => {
    const entry = byName.get(name) ?? byName.get(normalizedName(name));
    if (!entry) return null;
    assertInflatedSize([entry], budget.leftBytes);
    const bytes = await readEntry(source, entry, { formatName, maxBytes: budget.leftBytes });
    budget.leftBytes -= bytes.length;
    return bytes;
  };
  return {
    names: entries.map(({ name }) => name),
    read,
    text: async (name) => {
      const bytes = await read(name);
      return bytes && new TextDecoder(charsetOfByteOrderMark(bytes) ?? 'utf-8').decode(bytes);
    },
    openPackage: (bytes) => openPackage(bytes, formatName, budget),
  };
}

function normalizedName(name: string): string {
  return `fold:${name.replaceAll('\\', '/').normalize('NFC').toLowerCase()}`;
}

async function readEntry(
  source: string | Buffer,
  entry: ZipEntry,
  { formatName, maxBytes }: ZipOptions,
): Promise<Buffer> {
  const damaged = (cause?: unknown): AppError =>
    new AppError('unreadable', `The ${formatName} is damaged. Open it, save it again and upload it.`, { cause });
  if ((entry.flags & ENCRYPTED_FLAG) !== 0) {
    throw new AppError(
      'encrypted',
      `The ${formatName} is protected by a password. Remove the password and upload it again.`,
    );
  }
  const file = await openRandomAccess(source);
  try {
    const header = await file.read(entry.offset, LOCAL_BYTES);
    if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw damaged();
    const start = entry.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (start + entry.compressedBytes > file.sizeBytes) throw damaged();
    const packed = await file.read(start, entry.compressedBytes);
    if (entry.method === STORED) return packed;
    if (entry.method !== DEFLATED) throw damaged();
    // Inflate no more than the declared size: a larger entry is damaged.
    return await inflate(packed, { maxOutputLength: Math.max(1, Math.min(maxBytes, entry.sizeBytes)) });
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error);
  } finally {
    await file.close();
  }
}

/** Packs parts into a ZIP file without compression, for libraries that accept nothing else. */
export function packZip(parts: ReadonlyMap<string, Buffer>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of parts) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(bytes.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), bytes]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), fields, position, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(locals.length, 4);
  end.writeUInt16LE(locals.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, entries, Buffer.from('PK\u0005\u0006'), end]);
}
