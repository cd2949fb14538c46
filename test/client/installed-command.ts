import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { waitForExclusiveLock } from '#stack/processes/exclusive-lock.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import { buildClient, CLIENT_DIR, npm } from '#test/support/harness/client-package.ts';
import { testStack } from '#test/support/harness/stack.ts';

const Packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })).length(1);
const Lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });
const Manifest = z.object({ bin: z.object({ loci: z.string() }) });

export type Ran = { code: number | null; stdout: string; stderr: string };
export type RunOptions = {
  cwd?: string;
  environment?: Readonly<Record<string, string>>;
  /** Standard input; nothing by default. */
  input?: string;
};

export type InstalledCommand = {
  /** The folder in which the packed package is installed. */
  folder: string;
  /** Paths of the files in the package. */
  files: string[];
  /** All packages that are installed with it. */
  dependencies: string[];
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** Runs `loci` and waits until it exits. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
};

/** The installed client, which the first test file of a stack installs into its state; the others use it. */
export async function installCommand(): Promise<InstalledCommand> {
  const folder = join(testStack().stateDir, 'installed-client');
  const facts = join(folder, 'installed.json');
  const lock = await waitForExclusiveLock(`${folder}.lock`, () => undefined);
  try {
    if (!existsSync(facts)) {
      await rm(folder, { recursive: true, force: true });
      await writeFile(facts, JSON.stringify(await install(folder)));
    }
  } finally {
    lock.release();
  }
  // Written above, by this test file or by another one.
  const installed = JSON.parse(await readFile(facts, 'utf8')) as Installed;
  const start = startIn(folder, installed.main);
  return { folder, ...installed, start, run: (args, options) => ending(start(args, options)) };
}

type Installed = Pick<InstalledCommand, 'files' | 'dependencies'> & { main: string };

/**
 * Packs and installs the client as a user does. The dependencies are links into `client/node_modules`, because a registry may
 * be unreachable; only declared dependencies are linked, so that a missing declaration is detected.
 */
async function install(folder: string): Promise<Installed> {
  await buildClient();
  const own = join(folder, 'node_modules', '@loci', 'client');
  await mkdir(own, { recursive: true });
  const [packed] = Packed.parse(
    JSON.parse(await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder])),
  );
  if (packed === undefined) throw new Error('nothing was packed');
  await runCommand({ file: 'tar', args: ['-xzf', join(folder, packed.filename), '--strip-components=1', '-C', own] });
  const lock = Lock.parse(JSON.parse(await readFile(join(CLIENT_DIR, 'package-lock.json'), 'utf8')));
  const dependencies = Object.entries(lock.packages).flatMap(([path, { dev }]) =>
    path !== '' && dev !== true ? [path] : [],
  );
  for (const path of dependencies) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(CLIENT_DIR, path), join(folder, path));
  }
  const manifest = Manifest.parse(JSON.parse(await readFile(join(own, 'package.json'), 'utf8')));
  return {
    main: join(own, manifest.bin.loci),
    files: packed.files.map(({ path }) => path),
    dependencies: dependencies.map((path) => path.replace(/^node_modules\//, '')),
  };
}

function startIn(folder: string, main: string): InstalledCommand['start'] {
  return (args, { cwd = folder, environment = {}, input } = {}) => {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LOCI_'));
    const child = spawn(process.execPath, [main, ...args], {
      cwd,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.end(input);
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    return child;
  };
}

/** Waits until a process exits. Returns its output and exit code, which is null if it was killed by a signal. */
export function ending(child: ChildProcess): Promise<Ran> {
  const ran = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...ran }));
  });
}
