import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { SpooledBlob, StoredBlob } from '#domain/blob-store.ts';
import { orAbsent, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, requireSpace, sweepFolder } from './files.ts';

/** Files of this machine that hold bytes until they are stored, or while they are read. */
export type Spool = {
  write(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<SpooledBlob>;
  /** Deletes files that were last written more than `olderThanMs` ago. Returns how many. */
  sweep(olderThanMs: number): Promise<number>;
};

/** Creates a spool in a folder, which is made when it is first needed. */
export function createSpool(folder: string): Spool {
  return {
    async write(bytes, maxBytes) {
      const path = join(folder, randomUUID());
      const remove = () => rm(path, { force: true });
      try {
        const stored = await writeHashed(await create(path, folder), bytes, maxBytes);
        return { ...stored, path, [Symbol.asyncDispose]: remove };
      } catch (error) {
        await remove();
        throw requireSpace(error);
      }
    },
    sweep: (olderThanMs) => sweepFolder(folder, olderThanMs),
  };
}

/** Nearly always there is a folder, so it is created only after a failure. */
async function create(path: string, folder: string): Promise<FileHandle> {
  const created = await orAbsent(open(path, 'wx', PRIVATE_FILE_MODE));
  if (created !== null) return created;
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  return open(path, 'wx', PRIVATE_FILE_MODE);
}

/** Keeps one chunk in memory at a time: reads the next after the operating system has accepted the last. */
async function writeHashed(file: FileHandle, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of bytes) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) {
        throw new AppError('file_too_large', `The file is larger than the limit of ${maxBytes} bytes.`);
      }
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}
