import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';

export const PYTHON_CLIENT_DIR = join(PROJECT_DIR, 'client-python');

/** Fails without Python 3.11, `venv` or pip; prints the version. */
const PROBE = `import sys, venv, ensurepip
assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed"
print("%d.%d" % sys.version_info[:2])`;
/** A machine without a registry must not wait for minutes. */
const PIP = ['-m', 'pip', '--disable-pip-version-check', '--no-input', '--retries', '3', '--timeout', '20'];

export type PythonTools = {
  /** Python of the virtual environment in which the package is built. */
  python: string;
  /** Folder of its programs, such as ruff. */
  bin: string;
};

/**
 * Returns the tools that build the package, in a virtual environment in Loci's cache, or why they cannot be had: Python, `venv`
 * or a package registry is missing. Their versions are those of `client-python/pyproject.toml`.
 */
export async function pythonTools(): Promise<PythonTools | { missing: string }> {
  const base = process.env['PYTHON'] ?? 'python3';
  try {
    const version = (await runCommand({ file: base, args: ['-c', PROBE] })).trim();
    const pins = buildRequirements();
    const key = createHash('sha256')
      .update([version, ...pins].join('\n'))
      .digest('hex')
      .slice(0, 12);
    const cacheDir = resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci'));
    await mkdir(cacheDir, { recursive: true });
    const folder = join(cacheDir, `python-${version}-${key}`);
    const tools = { python: join(folder, 'bin', 'python'), bin: join(folder, 'bin') };
    const lock = await waitForExclusiveLock(`${folder}.lock`, () => undefined);
    try {
      if (existsSync(join(folder, 'installed'))) return tools;
      await rm(folder, { recursive: true, force: true });
      await runCommand({ file: base, args: ['-m', 'venv', folder] });
      await runCommand({ file: tools.python, args: [...PIP, 'install', '--quiet', ...pins] });
      await mkdir(join(folder, 'installed'));
    } finally {
      lock.release();
    }
    return tools;
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Builds the package, with its code generated from `openapi.json`. Returns the path of the wheel.
 * @throws StackError with the generator's words if the document cannot be generated without warnings
 */
export async function buildPythonClient({ python }: PythonTools): Promise<string> {
  const dist = join(PYTHON_CLIENT_DIR, 'dist');
  const lock = await waitForExclusiveLock(join(PYTHON_CLIENT_DIR, '.build-lock'), () => undefined);
  try {
    const made = `${dist}.new`;
    for (const folder of [dist, made]) await rm(folder, { recursive: true, force: true });
    const args = ['wheel', '--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', made, PYTHON_CLIENT_DIR];
    await runCommand({ file: python, args: [...PIP, ...args] });
    await rename(made, dist);
    const [wheel] = globSync('*.whl', { cwd: dist });
    if (wheel === undefined) throw new Error('no wheel was built');
    return join(dist, wheel);
  } finally {
    lock.release();
  }
}

/** Creates a virtual environment and installs packages into it as a user does. Returns its Python. */
export async function installInNewEnvironment(folder: string, packages: readonly string[]): Promise<string> {
  await runCommand({ file: process.env['PYTHON'] ?? 'python3', args: ['-m', 'venv', folder] });
  const python = join(folder, 'bin', 'python');
  await runCommand({ file: python, args: [...PIP, 'install', '--quiet', ...packages] });
  return python;
}

function buildRequirements(): string[] {
  const manifest = readFileSync(join(PYTHON_CLIENT_DIR, 'pyproject.toml'), 'utf8');
  const [, list = ''] = /^requires = \[(.*)\]$/m.exec(manifest) ?? [];
  const found = [...list.matchAll(/"([^"]+)"/g)].map(([, requirement = '']) => requirement);
  if (found.length === 0) throw new Error('client-python/pyproject.toml has no build requirements');
  return found;
}
