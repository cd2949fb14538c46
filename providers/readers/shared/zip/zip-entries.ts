import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from 'yauzl';
import { AppError } from '#domain/app-error.ts';
import { sanitizePath, type ArchiveEntry, type EntryRefusal } from '../archive-entry.ts';

/** A file of a ZIP archive, or a symbolic link or device, which leads out of the archive and is only counted. */
export type ZipItem = ArchiveEntry | 'link';

/** High bytes of `versionMadeBy` of systems that store Unix modes. */
const UNIX_SYSTEMS = [3, 19];
const FILE_TYPE_MASK = 0xf000;
const REGULAR_FILE = 0x8000;
const FOLDER = 0x4000;
const DOS_FOLDER = 0x10;
/** Files that operating systems add to folders of their users. */
const SYSTEM_FILES = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i;
const UTF8_FLAG = 0x800;
/** A larger directory takes too long to iterate, whatever limits the operator sets. */
const MAX_ENTRIES = 200_000;
const METHOD_NAMES: ReadonlyMap<number, string> = new Map([
  [9, 'Deflate64'],
  [12, 'bzip2'],
  [14, 'LZMA'],
  [93, 'Zstandard'],
  [95, 'xz'],
  [98, 'PPMd'],
  [99, 'AES'],
]);

/**
 * Lists the files of a ZIP archive in the order of its directory, which is stable. Nothing is inflated before an entry
 * is opened. @throws AppError `unreadable` when the archive is damaged or truncated, `encrypted` when not even the
 * names can be read, `archive_limit`.
 */
export async function* zipEntries(path: string): AsyncGenerator<ZipItem> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false } as const;
  const zip = await openPromise(path, options).catch((error: unknown) => {
    throw archiveError(error);
  });
  try {
    if (zip.entryCount > MAX_ENTRIES) {
      const message = `The archive contains ${zip.entryCount} entries; the limit is ${MAX_ENTRIES}. Split it into smaller archives.`;
      throw new AppError('archive_limit', message);
    }
    for await (const entry of entriesOf(zip)) {
      const rawName = nameOf(entry);
      const kind = kindOf(entry, rawName);
      if (kind === 'link') yield 'link';
      if (kind !== 'file' || SYSTEM_FILES.test(rawName)) continue;
      const { uncompressedSize: sizeBytes } = entry;
      const open = () => bytesOf(zip, entry);
      yield { path: sanitizePath(rawName), rawName, sizeBytes, refusal: refusalOf(entry), open };
    }
  } finally {
    zip.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    throw archiveError(error);
  }
}

/** Names in UTF-8 often lack the flag for it. */
function nameOf({ generalPurposeBitFlag: flags, fileName, extraFields }: Entry): string {
  const asUtf8 = isUtf8(fileName) ? flags | UTF8_FLAG : flags;
  return getFileNameLowLevel(asUtf8, fileName, extraFields, false);
}

function kindOf(entry: Entry, rawName: string): 'file' | 'folder' | 'link' {
  const isUnix = UNIX_SYSTEMS.includes(entry.versionMadeBy >>> 8);
  const kind = isUnix ? (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK : 0;
  if (rawName.endsWith('/') || kind === FOLDER) return 'folder';
  if (!isUnix && (entry.externalFileAttributes & DOS_FOLDER) !== 0 && entry.uncompressedSize === 0) return 'folder';
  return kind === 0 || kind === REGULAR_FILE ? 'file' : 'link';
}

function refusalOf(entry: Entry): EntryRefusal | null {
  if (entry.isEncrypted()) {
    const message = 'The file is protected by a password inside its archive. Extract it and upload the file itself.';
    return { code: 'encrypted', message };
  }
  if (entry.canDecodeFileData()) return null;
  const method = METHOD_NAMES.get(entry.compressionMethod) ?? `method ${entry.compressionMethod}`;
  const message = `The file is compressed with ${method}, which is not supported. Create the archive with Deflate, or upload the file itself.`;
  return { code: 'unreadable', message };
}

/** Streams the bytes of an entry: at most the declared size, and compares the checksum at the end. */
async function* bytesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  let checksum = 0;
  try {
    for await (const bytes of await zip.openReadStreamPromise(entry)) {
      const chunk: Uint8Array = bytes;
      sizeBytes += chunk.byteLength;
      if (sizeBytes > entry.uncompressedSize) throw entryError();
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : entryError(error);
  }
  if (sizeBytes !== entry.uncompressedSize || checksum !== entry.crc32) throw entryError();
}

function entryError(cause?: unknown): AppError {
  const message = 'The file is damaged inside its archive. Create the archive again, or upload the file itself.';
  return new AppError('unreadable', message, { cause });
}

function archiveError(cause: unknown): AppError {
  if (cause instanceof Error && /encrypt/i.test(cause.message)) {
    const message =
      'The archive is protected by a password. Extract the files and upload them, or create the archive without a password.';
    return new AppError('encrypted', message, { cause });
  }
  const message = 'The archive is damaged, truncated or split into several files. Create it again and upload it.';
  return new AppError('unreadable', message, { cause });
}
