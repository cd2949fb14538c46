import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type * as Client from '../../../client/dist/index.js';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';

export const CLIENT_DIR = join(PROJECT_DIR, 'client');

/**
 * Records the hashes of the inputs of the last build. It is stored in `node_modules`, so that it disappears with the
 * dependencies whose state it describes.
 */
const STAMP = join(CLIENT_DIR, 'node_modules', '.cache', 'loci-build.json');
const SOURCES = ['src/**/*.ts', 'tsconfig.json', 'package.json'];
const GENERATED = join('src', 'schema.ts');

type Stamp = { lock: string; sources: string };

/** Builds the client from its current sources and `openapi.json`, and returns what the package exports. */
export async function builtClient(): Promise<typeof Client> {
  await buildClient();
  return import('../../../client/dist/index.js');
}

/**
 * Installs the client's own dependencies and builds it, unless it is up to date. Returns whether there was anything to do.
 * @throws Error with the compiler's output, for example when the client does not match the types of `openapi.json`
 */
export async function buildClient(): Promise<boolean> {
  await mkdir(dirname(STAMP), { recursive: true });
  const lock = await waitForExclusiveLock(join(CLIENT_DIR, '.build-lock'), () => undefined);
  try {
    const wanted: Stamp = { lock: hashOf([join(CLIENT_DIR, 'package-lock.json')]), sources: hashOf(sourceFiles()) };
    const built = readStamp();
    if (built?.lock !== wanted.lock) await npm(['ci', '--prefer-offline', '--no-audit', '--no-fund']);
    if (built?.lock === wanted.lock && built.sources === wanted.sources) return false;
    await npm(['run', 'build']);
    await mkdir(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, JSON.stringify(wanted));
    return true;
  } finally {
    lock.release();
  }
}

/** Runs npm in the folder of the client. Returns its output. */
export async function npm(args: readonly string[]): Promise<string> {
  // In an npm script this is the npm that runs the script, whatever is on the PATH.
  const cli = process.env['npm_execpath'];
  const [file, before] = cli === undefined ? ['npm', []] : [process.execPath, [cli]];
  return runCommand({ file, args: [...before, '--silent', ...args, '--prefix', CLIENT_DIR], cwd: CLIENT_DIR });
}

function sourceFiles(): string[] {
  const own = globSync(SOURCES, { cwd: CLIENT_DIR }).filter((file) => file !== GENERATED);
  return [...own.toSorted().map((file) => join(CLIENT_DIR, file)), join(PROJECT_DIR, 'openapi.json')];
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function readStamp(): Stamp | null {
  try {
    // Written by this file.
    return JSON.parse(readFileSync(STAMP, 'utf8')) as Stamp;
  } catch {
    return null;
  }
}
