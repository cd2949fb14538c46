import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AcquireContext } from '#stack/acquire/acquire-context.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { findOnPath, isExecutable, runCommand } from '#stack/processes/run-command.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';

/** A Python package with the programs of PostgreSQL; those that `npm start` runs come without pg_dump. */
const VERSION = '18.6.3';
const PROGRAMS = 'embedded_postgres/pginstall/bin';
const FOLDER_SETTING = 'LOCI_TEST_POSTGRES_TOOLS';

function folderIn(cacheDir: string): string {
  return join(cacheDir, `postgres-tools-${VERSION}`, PROGRAMS);
}

/** The folder with `pg_dump` and `pg_restore` that `npm test` has obtained; null on a machine where it cannot be had. */
export function findPostgresTools(): string | null {
  const cacheDir = process.env['LOCI_CACHE_DIR'] || join(homedir(), '.cache', 'loci');
  const folder = process.env[FOLDER_SETTING] || folderIn(cacheDir);
  return isExecutable(join(folder, 'pg_dump')) ? folder : null;
}

/** Installs the programs into the cache with pip, once for each machine. Where that fails, prints why. */
export async function obtainPostgresTools({ cacheDir, environment, log }: AcquireContext): Promise<void> {
  const folder = folderIn(cacheDir);
  if (environment[FOLDER_SETTING] || isExecutable(join(folder, 'pg_dump'))) return;
  const name = `postgres-tools-${VERSION}`;
  const lock = await waitForExclusiveLock(join(cacheDir, 'locks', `${name}.lock`), () => {});
  const work = join(cacheDir, `.partial-${name}-${randomBytes(6).toString('hex')}`);
  try {
    if (isExecutable(join(folder, 'pg_dump'))) return;
    await mkdir(work, { recursive: true });
    const python = findOnPath(['python3', 'python'], environment['PATH']);
    if (python === null) throw new StackError('no Python with pip is on PATH');
    log(`pg_dump ${VERSION}: installing it with pip`);
    const options = ['--disable-pip-version-check', '--quiet', '--no-deps', '--timeout', '15', '--target', work];
    await runCommand({ file: python, args: ['-m', 'pip', 'install', ...options, `embedded-postgres==${VERSION}`] });
    await rm(join(cacheDir, name), { recursive: true, force: true });
    await mkdir(dirname(join(cacheDir, name)), { recursive: true });
    await rename(work, join(cacheDir, name));
  } catch (error) {
    log(`--- the test of backup and restore is skipped: pg_dump could not be obtained: ${reasonOf(error)}`);
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
}
