import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { SpooledBlob, StoredBlob } from '#domain/blob-store.ts';
import { orAbsent, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, requireSpace, sweepFolder } from './files.ts';

/** Files of this machine that hold bytes until they are stored, or while they are read. Few bytes stay in memory. */
export type Spool = {
  write(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<SpooledBlob>;
  /**
   * Deletes files that were last written more than `olderThanMs` ago and are not in use. Returns how many. A process that uses
   * files for longer, such as those of a request that takes days, has to call it in between: that tells the others.
   */
  sweep(olderThanMs: number): Promise<number>;
};

/**
 * Creates a spool in a folder, which is made when it is first needed. `memoryBytes`: up to this size, bytes stay in memory.
 */
export function createSpool(folder: string, { memoryBytes = 0 }: { memoryBytes?: number } = {}): Spool {
  const inUse = new Set<string>();
  return {
    async write(bytes, maxBytes) {
      const file = createSpoolFile(folder, inUse);
      try {
        return await writeHashed(file, bytes, { maxBytes, memoryBytes });
      } catch (error) {
        await file.remove();
        throw requireSpace(error);
      }
    },
    async sweep(olderThanMs) {
      const now = new Date();
      for (const path of inUse) await orAbsent(utimes(path, now, now));
      return sweepFolder(folder, olderThanMs);
    },
  };
}

type SpoolFile = ReturnType<typeof createSpoolFile>;

/** A file that does not exist before something is written to it, and is in use until it is removed. */
function createSpoolFile(folder: string, inUse: Set<string>) {
  const path = join(folder, randomUUID());
  let exists = false;
  return {
    path,
    async open(): Promise<FileHandle> {
      exists = true;
      inUse.add(path);
      return create(path, folder);
    },
    remove: async (): Promise<void> => {
      if (!exists) return;
      inUse.delete(path);
      await rm(path, { force: true });
    },
  };
}

/** Nearly always there is a folder, so it is created only after a failure. */
async function create(path: string, folder: string): Promise<FileHandle> {
  const created = await orAbsent(open(path, 'wx', PRIVATE_FILE_MODE));
  if (created !== null) return created;
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  return open(path, 'wx', PRIVATE_FILE_MODE);
}

type Limits = { maxBytes: number; memoryBytes: number };

/** Keeps the first `memoryBytes`, then one chunk at a time: reads the next after the operating system has accepted the last. */
async function writeHashed(
  file: SpoolFile,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, memoryBytes }: Limits,
): Promise<SpooledBlob> {
  const hash = createHash('sha256');
  const held: Uint8Array[] = [];
  let sizeBytes = 0;
  let handle: FileHandle | null = null;
  try {
    for await (const chunk of bytes) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) {
        throw new AppError('file_too_large', `The file is larger than the limit of ${maxBytes} bytes.`);
      }
      hash.update(chunk);
      // A copy: a view would keep the whole underlying buffer.
      if (sizeBytes <= memoryBytes) held.push(new Uint8Array(chunk));
      else {
        handle ??= await file.open();
        for (const piece of [...held.splice(0), chunk]) await handle.writeFile(piece);
      }
    }
  } finally {
    await handle?.close();
  }
  const stored = { sha256: hash.digest('hex'), sizeBytes };
  if (handle === null && memoryBytes > 0) return inMemory(file, stored, Buffer.concat(held));
  if (handle === null) await (await file.open()).close();
  return { ...stored, bytes: null, path: async () => file.path, [Symbol.asyncDispose]: file.remove };
}

/** A blob in memory, which is written to its file only for somebody who needs one. */
function inMemory(file: SpoolFile, stored: StoredBlob, bytes: Uint8Array): SpooledBlob {
  let written: Promise<string> | null = null;
  const write = async () => {
    try {
      await using handle = await file.open();
      await handle.writeFile(bytes);
      return file.path;
    } catch (error) {
      throw requireSpace(error);
    }
  };
  return { ...stored, bytes, path: () => (written ??= write()), [Symbol.asyncDispose]: file.remove };
}
