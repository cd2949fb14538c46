import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';

export const PRIVATE_FOLDER_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;
const FULL_RETRY_AFTER_S = 30;

/** Returns null instead of an error that says that there is no such file or folder. */
export async function orAbsent<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (isFileError(error) && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the error to throw: `dependency_unavailable` for a full disk, otherwise the error itself. */
export function requireSpace(error: unknown): unknown {
  if (!isFileError(error) || (error.code !== 'ENOSPC' && error.code !== 'EDQUOT')) return error;
  const message = 'The disk of the server is full: nothing was stored. Free space, then send the request again.';
  return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: FULL_RETRY_AFTER_S });
}

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** Deletes the files, not the folders, of a folder that were last written more than `olderThanMs` ago. Returns how many. */
export async function sweepFolder(folder: string, olderThanMs: number): Promise<number> {
  const before = Date.now() - olderThanMs;
  let removed = 0;
  for (const entry of (await orAbsent(readdir(folder, { withFileTypes: true }))) ?? []) {
    if (!entry.isFile()) continue;
    const path = join(folder, entry.name);
    const found = await orAbsent(stat(path));
    if (found === null || found.mtimeMs >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}
