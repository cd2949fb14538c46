import { constants } from 'node:fs';
import { copyFile, link, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'loci-sandbox-';

/** Creates a folder for this process's files and removes those that killed processes left behind. */
export async function createWorkFolder(parent: string = tmpdir()): Promise<string> {
  const home = await realpath(parent);
  const left = (await readdir(home)).filter(
    (name) => name.startsWith(PREFIX) && !isRunning(Number(name.split('-')[2])),
  );
  await Promise.all(left.map((name) => rm(join(home, name), { recursive: true, force: true }).catch(() => undefined)));
  return mkdtemp(join(home, `${PREFIX}${process.pid}-`));
}

/** Makes a file readable inside a sandbox's folder: by a link where the file system allows one, else by a copy. */
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
