import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Dirent } from 'node:fs';
import { AppError } from '#domain/app-error.ts';
import type { BlobStore, StoredBlob } from '#domain/blob-store.ts';
import { systemClock, type Clock } from '#domain/clock.ts';

const TEMPORARY_FOLDER = '.incoming';
const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;
const FULL_RETRY_AFTER_S = 30;
const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHA256_FORM = /^[0-9a-f]{64}$/;

/**
 * Stores blobs as files `<dir>/<workspace>/<first two hex digits>/<sha256>`. A blob is written under a temporary name, flushed
 * and renamed, so that a file under its final name is always complete, even after a power failure. Nothing is created before the
 * first `put`.
 */
export function createLocalBlobStore(options: { dir: string; clock?: Clock }): BlobStore {
  const { dir, clock = systemClock } = options;
  const flushed = new Set<string>();
  return {
    put: (workspaceId, bytes, maxBytes) => put({ dir, flushed, workspaceId, maxBytes }, bytes),
    async open(workspaceId, sha256) {
      const handle = await orMissing(open(blobPath(dir, workspaceId, sha256), 'r'));
      return handle.createReadStream();
    },
    async checkOut(workspaceId, sha256) {
      const path = blobPath(dir, workspaceId, sha256);
      await orMissing(stat(path));
      return { path, release: async () => {} };
    },
    async exists(workspaceId, sha256) {
      const found = await orAbsent(stat(blobPath(dir, workspaceId, sha256)));
      return found !== null;
    },
    walk: (writtenBefore) => walk(dir, writtenBefore),
    delete: (workspaceId, sha256) => rm(blobPath(dir, workspaceId, sha256), { force: true }),
    sweepTemporary: (olderThanMs) => sweepTemporary(join(dir, TEMPORARY_FOLDER), clock.now().getTime() - olderThanMs),
  };
}

async function* walk(dir: string, writtenBefore: Date): AsyncIterable<{ workspaceId: string; sha256: string }> {
  for await (const workspace of await entriesOf(dir)) {
    if (!UUID_FORM.test(workspace.name)) continue;
    for await (const prefix of await entriesOf(join(dir, workspace.name))) {
      for await (const file of await entriesOf(join(dir, workspace.name, prefix.name))) {
        if (!SHA256_FORM.test(file.name)) continue;
        const found = await orAbsent(stat(blobPath(dir, workspace.name, file.name)));
        if (found && found.mtime < writtenBefore) yield { workspaceId: workspace.name, sha256: file.name };
      }
    }
  }
}

/** The entries of a folder; none when it does not exist. */
async function entriesOf(folder: string): Promise<AsyncIterable<Dirent>> {
  return (await orAbsent(opendir(folder))) ?? nothing();
}

async function* nothing(): AsyncIterable<Dirent> {}

/** `flushed`: folders whose own names this process has flushed to stable storage. */
type PutTarget = { dir: string; flushed: Set<string>; workspaceId: string; maxBytes: number };

async function put(target: PutTarget, bytes: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
  const { dir, workspaceId } = target;
  checkWorkspaceId(workspaceId);
  const temporaryPath = join(dir, TEMPORARY_FOLDER, randomUUID());
  try {
    const file = await inFolder(dirname(temporaryPath), () => open(temporaryPath, 'wx', PRIVATE_FILE_MODE));
    const stored = await writeTemporary(file, bytes, target.maxBytes);
    // Even when the blob exists: a sweep could delete the old file between a check and the response.
    await moveIntoPlace(temporaryPath, target, stored.sha256);
    return stored;
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw isOutOfSpace(error) ? diskFull(error) : error;
  }
}

function diskFull(cause: unknown): AppError {
  const message = 'The disk of the server is full: nothing was stored. Free space, then send the request again.';
  return new AppError('dependency_unavailable', message, { cause, retryAfterS: FULL_RETRY_AFTER_S });
}

/** Keeps one chunk in memory at a time: reads the next after the operating system has accepted the last. */
async function writeTemporary(
  handle: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of bytes) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) {
        throw new AppError('file_too_large', `The file is larger than the limit of ${maxBytes} bytes.`);
      }
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}

async function moveIntoPlace(temporaryPath: string, target: PutTarget, sha256: string): Promise<void> {
  const { dir, flushed, workspaceId } = target;
  const path = blobPath(dir, workspaceId, sha256);
  const folder = dirname(path);
  await inFolder(
    folder,
    () => rename(temporaryPath, path),
    () => flushed.delete(folder),
  );
  await syncFolder(folder);
  if (flushed.has(folder)) return;
  // The parent folders hold the names of the folders. Another process may have created one a moment ago without flushing it yet.
  for (const level of [join(dir, workspaceId), dir]) await syncFolder(level);
  flushed.add(folder);
}

/** Runs an operation that needs a folder. Nearly always there is one, so it is created only after a failure. */
async function inFolder<T>(folder: string, run: () => Promise<T>, onMade: () => void = () => undefined): Promise<T> {
  const done = await orAbsent(run());
  if (done !== null) return done;
  const made = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  if (made !== undefined) onMade();
  return run();
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sweepTemporary(folder: string, changedBeforeMs: number): Promise<number> {
  const names = (await orAbsent(readdir(folder))) ?? [];
  let removed = 0;
  for (const name of names) {
    const path = join(folder, name);
    const found = await orAbsent(stat(path));
    if (found === null || found.mtimeMs >= changedBeforeMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** The only place that builds paths from names. Validates both names, so that no path leaves `dir`. */
function blobPath(dir: string, workspaceId: string, sha256: string): string {
  checkWorkspaceId(workspaceId);
  if (!SHA256_FORM.test(sha256))
    throw new AppError('internal', 'A blob is addressed by its SHA-256 in lower-case hex.');
  return join(dir, workspaceId, sha256.slice(0, 2), sha256);
}

function checkWorkspaceId(workspaceId: string): void {
  if (!UUID_FORM.test(workspaceId)) throw new AppError('internal', 'A blob is addressed by a workspace id, a UUID.');
}

async function orMissing<T>(found: Promise<T>): Promise<T> {
  const value = await orAbsent(found);
  if (value === null) {
    throw new AppError('blob_missing', 'The stored file is gone: upload it again.');
  }
  return value;
}

async function orAbsent<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (isFileError(error) && error.code === 'ENOENT') return null;
    throw error;
  }
}

function isOutOfSpace(error: unknown): boolean {
  return isFileError(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
