import { constants } from 'node:fs';
import { hash } from 'node:crypto';
import { copyFile, link, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const PREFIX = 'loci-sandbox-';
/**
 * Process ids of other machines or containers mean nothing here; their folders are leftovers after this time without a change.
 */
const FOREIGN_LEFTOVER_MS = 24 * 60 * 60 * 1000;
const HERE = hash('sha256', hostname()).slice(0, 12);
/** Folders of this process. Process ids do not identify them: a container has the same process id after each restart. */
const own = new Set<string>();

/** Creates a folder for this process's files and removes folders that killed processes left behind. */
export async function createWorkFolder(parent: string = tmpdir()): Promise<string> {
  const home = await realpath(parent);
  const names = (await readdir(home)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => removeLeftover(home, name).catch(() => undefined)));
  const made = await mkdtemp(join(home, `${PREFIX}${HERE}-${process.pid}-`));
  own.add(basename(made));
  return made;
}

async function removeLeftover(home: string, name: string): Promise<void> {
  const path = join(home, name);
  const [place, pid] = name.slice(PREFIX.length).split('-');
  const isInUse =
    place !== HERE
      ? (await stat(path)).mtimeMs > Date.now() - FOREIGN_LEFTOVER_MS
      : Number(pid) === process.pid
        ? own.has(name)
        : isRunning(Number(pid));
  if (!isInUse) await rm(path, { recursive: true, force: true });
}

/** Places a file in a sandbox's folder: as a hard link if the file system allows one, else as a copy. */
export async function placeInput(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
