import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUILD_STATE_FILE, type BuildState } from '#api/http/console/build-state.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { runCommand } from '#stack/processes/run-command.ts';

const CONSOLE_DIR = join(PROJECT_DIR, 'console');
const DIST = join(CONSOLE_DIR, 'dist');
/** Hash of the sources that `dist` was built from. */
const BUILT_FROM = join(DIST, '.sources');
/** Hash of the lock file that `node_modules` was installed from; disappears with it. */
const INSTALLED_FROM = join(CONSOLE_DIR, 'node_modules', '.cache', 'loci-install');
const STATE = join(CONSOLE_DIR, BUILD_STATE_FILE);

/** What decides about the result: the console and the files of the client that it contains. */
const SOURCES = [
  'console/{src,public}/**/*',
  'console/*.{json,html,ts}',
  'client/src/*.ts',
  'client/package-lock.json',
] as const;
const GENERATED = 'client/src/schema.ts';

export type ConsoleBuild = {
  /** Checks the types first. It needs the client and the development dependencies of the project. */
  checksTypes: boolean;
};

/** True when `console/dist` was built from the present sources. */
export function isConsoleBuilt(): boolean {
  return existsSync(join(DIST, 'index.html')) && readOrNull(BUILT_FROM) === hashOfSources();
}

/**
 * Installs the console's own dependencies and builds it, unless it is up to date. Returns whether there was anything to do. While
 * it runs, and if it fails, the API says so at `/console`.
 * @throws StackError with the output of what failed
 */
export async function buildConsole({ checksTypes }: ConsoleBuild): Promise<boolean> {
  const lock = await waitForExclusiveLock(join(CONSOLE_DIR, '.build-lock'), () => undefined);
  try {
    const sources = hashOfSources();
    if (isConsoleBuilt()) return false;
    writeState({ status: 'building', pid: process.pid });
    await install();
    if (checksTypes) await runTypeCheck();
    const partial = `${DIST}-partial`;
    // Whatever the environment says, as that of tests does: the libraries contain much more for development.
    await npm(['run', 'build', '--', '--outDir', partial, '--emptyOutDir'], { NODE_ENV: 'production' });
    writeFileSync(join(partial, '.sources'), sources);
    await rm(DIST, { recursive: true, force: true });
    await rename(partial, DIST);
    rmSync(STATE, { force: true });
    return true;
  } catch (error) {
    writeState({ status: 'failed', message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    lock.release();
  }
}

/** Installs the dependencies if necessary and checks the types. @throws StackError with the compiler's output */
export async function checkConsoleTypes(): Promise<void> {
  const lock = await waitForExclusiveLock(join(CONSOLE_DIR, '.build-lock'), () => undefined);
  try {
    await install();
    await runTypeCheck();
  } finally {
    lock.release();
  }
}

async function install(): Promise<void> {
  const lockFile = hashOf(['console/package-lock.json']);
  if (readOrNull(INSTALLED_FROM) === lockFile) return;
  await npm(['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund']);
  await mkdir(dirname(INSTALLED_FROM), { recursive: true });
  writeFileSync(INSTALLED_FROM, lockFile);
}

async function runTypeCheck(): Promise<void> {
  const compiler = join(PROJECT_DIR, 'node_modules', 'typescript', 'bin', 'tsc');
  await runCommand({ file: process.execPath, args: [compiler, '--project', CONSOLE_DIR], cwd: CONSOLE_DIR });
}

async function npm(args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  // In an npm script this is the npm that runs the script, whatever is on the PATH.
  const cli = process.env['npm_execpath'];
  const [file, before] = cli === undefined ? ['npm', []] : [process.execPath, [cli]];
  await runCommand({ file, args: [...before, '--silent', '--prefix', CONSOLE_DIR, ...args], cwd: CONSOLE_DIR, env });
}

function hashOfSources(): string {
  const files = globSync(SOURCES, { cwd: PROJECT_DIR, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(PROJECT_DIR.length + 1));
  return hashOf(files.filter((file) => file !== GENERATED).toSorted());
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(PROJECT_DIR, file)))
      .update('\0');
  return hash.digest('hex');
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function writeState(state: BuildState): void {
  writeFileSync(STATE, JSON.stringify(state));
}
