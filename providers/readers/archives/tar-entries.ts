import { Header, type HeaderData } from 'tar/header';
import { Pax } from 'tar/pax';
import { AppError } from '#domain/app-error.ts';
import { sanitizePath, type ArchiveEntry, type EntryRefusal } from '#providers/readers/shared/archive-entry.ts';
import type { ByteSource } from './byte-source.ts';

export const TAR_BLOCK_BYTES = 512;
/** Long names and attributes of the next entry. */
const MAX_EXTENSION_BYTES = 1024 * 1024;
/** A longer archive takes too long to iterate, whatever limits the operator sets. */
const MAX_ENTRIES = 200_000;
const FILES = new Set(['File', 'OldFile', 'ContiguousFile']);
/** Files that operating systems add to folders of their users. */
const SYSTEM_FILES = /(?:^|\/)(?:\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$|(?:^|\/)__MACOSX\//i;

/** What the entries before a file say about it, or about all later ones. */
type Extensions = { next: HeaderData; all: HeaderData };

/** Whether the block is the header of an entry: it has a checksum. */
export function isTarHeader(block: Buffer): boolean {
  return block.length === TAR_BLOCK_BYTES && new Header(block).cksumValid;
}

/**
 * Lists the files of a TAR archive (POSIX pax, GNU and old ones) in their order. The bytes of a file can be read until the next one
 * is asked for; nothing is kept in memory. @throws AppError `unreadable` when the archive is damaged or truncated, `archive_limit`.
 */
export async function* tarEntries(source: ByteSource): AsyncGenerator<ArchiveEntry | 'link'> {
  const extensions: Extensions = { next: {}, all: {} };
  for (let count = 0; ; count += 1) {
    if (count > MAX_ENTRIES) throw tooManyError();
    const block = await source.read(TAR_BLOCK_BYTES);
    // Some programs end the archive without the two empty blocks.
    if (block.length === 0) return;
    if (block.length < TAR_BLOCK_BYTES) throw damagedError();
    const header = new Header(block, 0, extensions.next, extensions.all);
    if (header.nullBlock) return;
    if (!header.cksumValid || !isSize(header.size)) throw damagedError();
    if (await readExtension(source, header, extensions)) continue;
    extensions.next = {};
    yield* entryOf(source, header, header.size);
  }
}

/** Reads an entry that only describes the next one; false for any other. */
async function readExtension(source: ByteSource, header: Header, extensions: Extensions): Promise<boolean> {
  const { type, size = 0 } = header;
  const isPax = type === 'ExtendedHeader' || type === 'OldExtendedHeader' || type === 'GlobalExtendedHeader';
  const isName = type === 'NextFileHasLongPath' || type === 'OldGnuLongPath' || type === 'NextFileHasLongLinkpath';
  if (!isPax && !isName) return false;
  if (size > MAX_EXTENSION_BYTES) throw damagedError();
  const text = (await source.read(size)).toString('utf8');
  await source.skip(paddingOf(size));
  if (type === 'GlobalExtendedHeader') extensions.all = Pax.parse(text, extensions.all, true);
  else if (isPax) extensions.next = Pax.parse(text, extensions.next, false);
  else if (type !== 'NextFileHasLongLinkpath')
    extensions.next = { ...extensions.next, path: text.replace(/\0.*$/s, '') };
  return true;
}

async function* entryOf(source: ByteSource, header: Header, sizeBytes: number): AsyncGenerator<ArchiveEntry | 'link'> {
  const rawName = header.path ?? '';
  let left = sizeBytes;
  if (FILES.has(header.type) || isUnknown(header)) {
    const open = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source.stream(left)) {
        left -= chunk.byteLength;
        yield chunk;
      }
      if (left > 0) throw damagedError();
    };
    const path = sanitizePath(rawName);
    if (!SYSTEM_FILES.test(rawName)) yield { path, rawName, sizeBytes, refusal: refusalOf(header), open };
  } else if (header.type !== 'Directory' && header.type !== 'GNUDumpDir') yield 'link';
  const rest = left + paddingOf(sizeBytes);
  // Without the padding of the last file an archive is complete.
  if ((await source.skip(rest)) < left) throw damagedError();
}

function isUnknown({ type }: Header): boolean {
  return type === 'Unsupported' || type === 'SparseFile';
}

function refusalOf(header: Header): EntryRefusal | null {
  if (!isUnknown(header)) return null;
  const message = 'The file is stored in a way that is not supported (a sparse file). Upload the file itself.';
  return { code: 'unreadable', message };
}

function isSize(size: number | undefined): size is number {
  return size !== undefined && Number.isSafeInteger(size) && size >= 0;
}

/** Entries fill whole blocks. */
function paddingOf(sizeBytes: number): number {
  return (TAR_BLOCK_BYTES - (sizeBytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
}

function damagedError(): AppError {
  return new AppError('unreadable', 'The archive is damaged or truncated. Create it again and upload it.');
}

function tooManyError(): AppError {
  const message = `The archive contains more than ${MAX_ENTRIES} entries, the limit. Split it into smaller archives.`;
  return new AppError('archive_limit', message);
}
