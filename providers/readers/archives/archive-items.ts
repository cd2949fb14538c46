import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '#domain/app-error.ts';
import { GZIP, TAR, ZIP } from '#providers/readers/shared/media-types.ts';
import { sanitizePath } from '#providers/readers/shared/archive-entry.ts';
import { zipEntries, type ZipItem } from '#providers/readers/shared/zip/zip-entries.ts';
import { ByteSource } from './byte-source.ts';
import { isTarHeader, TAR_BLOCK_BYTES, tarEntries } from './tar-entries.ts';

/** Most bytes of a gzip file, unpacked. Whatever the limits of the operator are, they are read to list the files. */
const MAX_INFLATED_BYTES = 4 * 1024 ** 3;

/** The files of a ZIP or TAR archive, or of a gzip file, which contains a TAR archive or a single file. */
export async function* archiveItems(archive: {
  path: string;
  mediaType: string;
  name: string;
}): AsyncGenerator<ZipItem> {
  const { path, mediaType } = archive;
  if (mediaType === ZIP) yield* zipEntries(path);
  if (mediaType !== TAR && mediaType !== GZIP) return;
  const source = new ByteSource(mediaType === GZIP ? inflated(path) : createReadStream(path));
  try {
    const start = await source.read(TAR_BLOCK_BYTES);
    source.unread(start);
    if (mediaType === TAR || isTarHeader(start)) yield* tarEntries(source);
    else yield await singleFile(archive, source);
  } finally {
    await source.close();
  }
}

async function* inflated(path: string): AsyncGenerator<Uint8Array> {
  // Errors of both streams end the iteration below.
  const gunzip = pipeline(createReadStream(path), createGunzip(), () => undefined);
  let sizeBytes = 0;
  try {
    for await (const bytes of gunzip) {
      const chunk: Uint8Array = bytes;
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_INFLATED_BYTES) throw tooLargeError();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : damagedError(error);
  } finally {
    gunzip.destroy();
  }
}

/** The file that was compressed by itself. Its size is known once it has been inflated; `open` inflates it again. */
async function singleFile({ path, name }: { path: string; name: string }, source: ByteSource): Promise<ZipItem> {
  const sizeBytes = await source.skip(Number.MAX_SAFE_INTEGER);
  const rawName = name.replace(/\.gz$/i, '');
  return {
    path: sanitizePath(rawName.split('/').at(-1) ?? ''),
    rawName,
    sizeBytes,
    refusal: null,
    open: () => inflated(path),
  };
}

function tooLargeError(): AppError {
  const gibibytes = MAX_INFLATED_BYTES / 1024 ** 3;
  return new AppError(
    'archive_limit',
    `The archive unpacks to more than ${gibibytes} GiB. Split it into smaller archives.`,
  );
}

function damagedError(cause: unknown): AppError {
  const message = 'The archive is damaged or truncated. Create it again and upload it.';
  return new AppError('unreadable', message, { cause });
}
