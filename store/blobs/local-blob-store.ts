import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BlobLocation, BlobStore, SpooledBlob } from '#domain/blob-store.ts';
import { blobMissing, blobName } from './blob-name.ts';
import { isFileError, orAbsent, PRIVATE_FOLDER_MODE, requireSpace, sweepFolder } from './files.ts';

/** Holds files that are copied from a work folder on another file system. */
const INCOMING_FOLDER = '.incoming';

/**
 * Keeps blobs as files of a folder. A file is flushed under another name and then renamed, so that a file under its final name is
 * always complete, even after a power failure. Nothing is created before the first `put`.
 */
export function createLocalBlobStore({ dir }: { dir: string }): BlobStore {
  const folder: Folder = { dir, flushed: new Set() };
  const pathOf = (location: BlobLocation) => join(dir, blobName(location));
  return {
    name: `folder ${resolve(dir)}`,
    put: (location, file) => put(folder, pathOf(location), file),
    async open(location, range) {
      const handle = await orMissing(open(pathOf(location), 'r'));
      return handle.createReadStream(range === undefined ? {} : { start: range.start, end: range.end - 1 });
    },
    async checkOut(location) {
      const path = pathOf(location);
      await orMissing(stat(path));
      return { path, release: async () => {} };
    },
    exists: async (location) => (await orAbsent(stat(pathOf(location)))) !== null,
    delete: async (location) => rm(pathOf(location), { force: true }),
    downloadUrl: null,
    ping: async () => {},
    sweepTemporary: (olderThanMs) => sweepFolder(join(dir, INCOMING_FOLDER), olderThanMs),
    close: () => {},
  };
}

/** `flushed`: folders whose own names this process has flushed to stable storage. */
type Folder = { dir: string; flushed: Set<string> };

/** Replaces what is there: the bytes are the same, unless they are damaged. */
async function put(folder: Folder, path: string, file: SpooledBlob): Promise<void> {
  const spooled = await file.path();
  try {
    await flush(spooled);
    await inFolder(folder, path, () => rename(spooled, path));
  } catch (error) {
    if (!isFileError(error) || error.code !== 'EXDEV') throw requireSpace(error);
    await copyIntoPlace(folder, path, spooled);
  }
  await flushNames(folder, path);
}

/** For a work folder on another file system. */
async function copyIntoPlace(folder: Folder, path: string, spooled: string): Promise<void> {
  const copy = join(folder.dir, INCOMING_FOLDER, randomUUID());
  try {
    await inFolder(folder, copy, () => copyFile(spooled, copy));
    await flush(copy);
    await rename(copy, path);
  } catch (error) {
    await rm(copy, { force: true });
    throw requireSpace(error);
  }
}

/** Runs an operation that creates `path`. Nearly always its folder exists, so it is created only after a failure. */
async function inFolder({ flushed }: Folder, path: string, run: () => Promise<void>): Promise<void> {
  if ((await orAbsent(run().then(() => true))) === true) return;
  const made = await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  if (made !== undefined) flushed.delete(dirname(path));
  await run();
}

/** Flushes the name of a file, and those of its folders: another process may have made one without flushing it yet. */
async function flushNames({ dir, flushed }: Folder, path: string): Promise<void> {
  const folder = dirname(path);
  await flush(folder);
  if (flushed.has(folder)) return;
  for (const level of [dirname(folder), dir]) await flush(level);
  flushed.add(folder);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function orMissing<T>(found: Promise<T>): Promise<T> {
  const value = await orAbsent(found);
  if (value === null) throw blobMissing();
  return value;
}
