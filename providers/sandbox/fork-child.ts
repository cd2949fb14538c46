import { fork, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { WorkLane } from '#domain/work-share.ts';
import { networkNamespaceCommand } from './network-namespace.ts';

export type ProcessOptions = {
  /** Absolute path of the module that exports `runTask`. */
  taskModule: string;
  /** The process's own folder: it may read it, and write to `out` inside. */
  folder: string;
  /** Further folders that it may read, e.g. of a tokenizer. */
  readableFolders: readonly string[];
  memoryBytes: number;
  /** Time limit of each task. */
  timeoutMs: number;
  /** Processes of `bulk` have a lower priority in the operating system. */
  lane: WorkLane;
};

const ROOT = realpathSync(join(import.meta.dirname, '..', '..'));
const MAIN = join(ROOT, 'providers', 'sandbox', 'child-main.ts');
/** Share of the memory limit for the JavaScript heap; buffers and WebAssembly are outside of it. */
const HEAP_SHARE = 0.75;
/** Nice value of processes of lane `bulk`. */
const BULK_NICENESS = 10;

/** Starts a child process that may read its folder and the program's code, and write to `out` in its folder. */
export function forkChild(options: ProcessOptions): ChildProcess {
  const [execPath, ...launch] = [...networkNamespaceCommand(), process.execPath];
  const child = fork(MAIN, [options.taskModule], {
    // A command that replaces itself with Node: the id of the process and the channel to it stay the same.
    execPath,
    execArgv: [...launch, ...nodeArguments(options)],
    // The parent's environment is not passed on: it contains secrets.
    env: {},
    cwd: join(options.folder, 'out'),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // Before it starts threads of its own, because threads inherit the priority.
  if (options.lane === 'bulk') lowerPriority(child);
  return child;
}

/** A process whose priority cannot be lowered, e.g. because it has exited, works with its normal one. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, BULK_NICENESS);
  } catch {
    // See above.
  }
}

function nodeArguments({ folder, readableFolders, memoryBytes }: ProcessOptions): string[] {
  const code = ['providers', 'domain', 'node_modules', 'package.json'].map((name) => realpathSync(join(ROOT, name)));
  const readable = [...code, folder, ...readableFolders];
  return [
    '--permission',
    // Only for the watchdog: the lockdown disables further threads.
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${join(folder, 'out')}`,
    `--max-old-space-size=${Math.floor((memoryBytes * HEAP_SHARE) / 1024 / 1024)}`,
    // It opens databases without asking the permission model.
    '--no-experimental-sqlite',
    '--no-warnings',
  ];
}
