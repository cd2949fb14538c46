import { chmodSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExclusiveLock, tryExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { stopOrphanedProcesses } from '#stack/processes/process-records.ts';
import { reasonOf, StackError } from './stack-error.ts';
import type { Log } from './timed-step.ts';

const PRIVATE_FOLDERS = ['blobs', 'logs', 'processes', 'temporal', 'weaviate', 'work'];

/**
 * Locks the state folder until this process ends, and stops the processes that an earlier, killed launcher left running.
 * @throws StackError if another launcher holds the lock, or the folder is not that of this user
 */
export async function lockStateFolder(stateDir: string, log: Log): Promise<ExclusiveLock> {
  prepareFolders(stateDir);
  const lock = tryExclusiveLock(join(stateDir, 'launcher.lock'));
  const holderFile = join(stateDir, 'launcher.pid');
  if (lock === null) {
    throw new StackError(
      [
        `Loci is already running in ${stateDir} (process ${readHolderPid(holderFile)}).`,
        'Stop it first, or use a separate folder (LOCI_STATE_DIR) and other ports for a second one.',
      ].join('\n'),
    );
  }
  writeFileSync(holderFile, String(process.pid));
  await stopOrphanedProcesses(stateDir, { log });
  return lock;
}

function prepareFolders(stateDir: string): void {
  try {
    // The account that runs PostgreSQL may pass through the folder but not list it. The folders inside are private.
    mkdirSync(stateDir, { recursive: true });
    chmodSync(stateDir, 0o711);
    for (const name of PRIVATE_FOLDERS) mkdirSync(join(stateDir, name), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StackError(
      [
        `The state folder ${stateDir} cannot be prepared: ${reasonOf(error)}`,
        'Start Loci as the user that the folder belongs to, or set LOCI_STATE_DIR to a folder of your own.',
      ].join('\n'),
      { cause: error },
    );
  }
}

/** Removes a state folder and the target of its `postgres` link. No process may use it. */
export function removeStateFolder(stateDir: string): void {
  const elsewhere = linkTarget(join(stateDir, 'postgres'));
  if (elsewhere !== null) rmSync(dirname(elsewhere), { recursive: true, force: true });
  rmSync(stateDir, { recursive: true, force: true });
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function readHolderPid(holderFile: string): string {
  try {
    return readFileSync(holderFile, 'utf8');
  } catch {
    return 'unknown';
  }
}
