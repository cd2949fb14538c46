import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

/** Held until `release` or until the process ends: the operating system releases it, even after `kill -9`. */
export type ExclusiveLock = { release(): void };

/** SQLite's result code for "another process holds the lock". */
const SQLITE_BUSY = 5;
const RETRY_MS = 300;

/**
 * Acquires the lock of the file at `path`, or returns null if another process holds it.
 * Node has no file locks. SQLite uses those of the operating system, which need no cleanup.
 */
export function tryExclusiveLock(path: string): ExclusiveLock | null {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => database.close() };
}

/** Acquires the lock, waiting without limit while another process holds it. `onWait` is called once if it has to wait. */
export async function waitForExclusiveLock(path: string, onWait: () => void): Promise<ExclusiveLock> {
  let lock = tryExclusiveLock(path);
  if (lock === null) onWait();
  while (lock === null) {
    await delay(RETRY_MS);
    lock = tryExclusiveLock(path);
  }
  return lock;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
