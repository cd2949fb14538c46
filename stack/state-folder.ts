import { chmodSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExclusiveLock, tryExclusiveLock } from './exclusive-lock.ts';
import { endLeftovers } from './process-records.ts';
import { StackError } from './stack-error.ts';
import type { Log } from './timed-step.ts';

const PRIVATE_FOLDERS = ['blobs', 'logs', 'processes', 'temporal', 'weaviate'];

/**
 * Makes the state folder this process's own until it ends, and ends what an earlier launcher that was killed left running.
 * @throws StackError when another launcher has it
 */
export async function claimStateFolder(stateDir: string, log: Log): Promise<ExclusiveLock> {
  // Passable for the account that PostgreSQL runs as, but not to be listed; what is inside is closed by itself.
  mkdirSync(stateDir, { recursive: true });
  chmodSync(stateDir, 0o711);
  for (const name of PRIVATE_FOLDERS) mkdirSync(join(stateDir, name), { recursive: true, mode: 0o700 });
  const lock = tryExclusiveLock(join(stateDir, 'launcher.lock'));
  const holderFile = join(stateDir, 'launcher.pid');
  if (lock === null) {
    throw new StackError(
      [
        `Loci is already running on ${stateDir} (process ${readHolder(holderFile)}).`,
        'Stop it first, or run a second one beside it with a folder of its own (LOCI_STATE_DIR) and other ports.',
      ].join('\n'),
    );
  }
  writeFileSync(holderFile, String(process.pid));
  await endLeftovers(stateDir, { log });
  return lock;
}

/** Removes a state folder with everything in it, also what a link in it leads to. Nothing may be running on it. */
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

function readHolder(holderFile: string): string {
  try {
    return readFileSync(holderFile, 'utf8');
  } catch {
    return 'unknown';
  }
}
