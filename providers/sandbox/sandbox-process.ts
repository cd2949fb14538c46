import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { ChildTask, FromChild, ToChild } from './child-task.ts';
import { readFileSync } from 'node:fs';

export type ProcessOptions = {
  /** Absolute path of the module that exports `runTask`. */
  taskModule: string;
  /** The process's own folder: it reads `in` and writes `out` inside. */
  folder: string;
  /** Further folders it may read, e.g. of a tokenizer. */
  readableFolders: readonly string[];
  memoryBytes: number;
  /** For each task. */
  timeoutMs: number;
};

export type ExitReason = 'timeout' | 'memory' | 'crashed' | 'stopped';

/** The process ended before all tasks were answered; the first one without an answer was being worked on. */
export class SandboxExitError extends Error {
  readonly reason: ExitReason;
  constructor(reason: ExitReason, detail: string) {
    super(`the sandbox process ended (${reason}): ${detail}`);
    this.name = 'SandboxDeath';
    this.reason = reason;
  }
}

type Answer = Exclude<FromChild, { type: 'ready' }>;
type Run = {
  answers: number;
  tasks: number;
  onAnswer: (answer: Answer) => void;
  resolve: () => void;
  reject: (error: Error) => void;
};

const ROOT = realpathSync(join(import.meta.dirname, '..', '..'));
const MAIN = join(ROOT, 'providers', 'sandbox', 'child-main.ts');
const MEMORY_POLL_MS = 50;
/** Of the limit; buffers and WebAssembly live outside the JavaScript heap. */
const HEAP_SHARE = 0.75;
const START_TIMEOUT_MS = 30_000;
const STDERR_BYTES = 4096;

/** One sandboxed child process. Does one run at a time; dies for good at the first limit it breaks. */
export class SandboxProcess {
  readonly #child: ChildProcess;
  readonly #options: ProcessOptions;
  readonly #ready: Promise<void>;
  #run: Run | null = null;
  #killedFor: ExitReason | null = null;
  #stderr = '';
  #tasksDone = 0;
  #peakBytes = 0;
  #isEnding = false;
  #isCut = false;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;

  constructor(options: ProcessOptions) {
    this.#options = options;
    mkdirSync(join(options.folder, 'in'), { recursive: true });
    mkdirSync(join(options.folder, 'out'));
    this.#child = fork(MAIN, [options.taskModule], {
      execArgv: nodeArguments(options),
      // Nothing of the parent's environment: it holds secrets.
      env: {},
      cwd: join(options.folder, 'out'),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_BYTES);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', () => resolve()).once('error', () => resolve());
    });
    this.#ready = this.#start();
    // Seen again by whoever runs something; nobody may be listening yet.
    this.#ready.catch(() => undefined);
  }

  get folder(): string {
    return this.#options.folder;
  }

  get tasksDone(): number {
    return this.#tasksDone;
  }

  /** False once it is ending, for whatever reason. */
  get isUsable(): boolean {
    return !this.#isEnding;
  }

  /** Most memory seen, in bytes; 0 where it cannot be told. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  /**
   * Does the tasks in their order; answers come one by one.
   * @throws SandboxDeath; AppError `dependency_unavailable` when the process could not start.
   */
  async run(tasks: readonly ChildTask[], onAnswer: (answer: Answer) => void): Promise<void> {
    this.#isCut = false;
    this.#hold(true);
    try {
      await this.#ready;
      await this.#runReady(tasks, onAnswer);
    } finally {
      this.#hold(false);
    }
  }

  /** Has what is running begin nothing more: the tasks behind the present one are answered as not begun. */
  cut(): void {
    this.#isCut = true;
    if (this.#run) this.#tell({ type: 'cut' });
  }

  kill(reason: ExitReason = 'stopped'): void {
    this.#killedFor ??= reason;
    this.#isEnding = true;
    this.#hold(true);
    this.#child.kill('SIGKILL');
  }

  #runReady(tasks: readonly ChildTask[], onAnswer: (answer: Answer) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#isEnding) throw new SandboxExitError(this.#killedFor ?? 'crashed', 'it had ended before');
    const deadline = setTimeout(() => this.kill('timeout'), this.#options.timeoutMs);
    const watch = setInterval(() => this.#checkMemory(), MEMORY_POLL_MS);
    const answered = (answer: Answer): void => {
      deadline.refresh();
      onAnswer(answer);
    };
    this.#run = { answers: 0, tasks: tasks.length, onAnswer: answered, resolve, reject };
    this.#tell({ type: 'tasks', tasks });
    if (this.#isCut) this.#tell({ type: 'cut' });
    return promise.finally(() => {
      clearTimeout(deadline);
      clearInterval(watch);
      this.#run = null;
    });
  }

  /** What cannot be told any more shows in the process's end. */
  #tell(message: ToChild): void {
    this.#child.send(message, () => undefined);
  }

  #start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.kill('timeout'), START_TIMEOUT_MS);
    timer.unref();
    this.#child.on('message', (message: FromChild) => {
      if (message.type === 'ready') {
        clearTimeout(timer);
        resolve();
      } else this.#answer(message);
    });
    this.#child.on('error', (error) => this.#die(error.message, reject));
    this.#child.on('close', (code, signal) => {
      clearTimeout(timer);
      this.#die(`${signal ?? `exit code ${code}`} ${this.#stderr}`, reject);
    });
    return promise;
  }

  #answer(answer: Answer): void {
    const run = this.#run;
    if (!run) return;
    run.answers += 1;
    this.#tasksDone += 1;
    run.onAnswer(answer);
    if (run.answers === run.tasks) {
      this.#checkMemory();
      run.resolve();
    }
  }

  #die(detail: string, rejectStart: (error: Error) => void): void {
    this.#isEnding = true;
    const cause = new Error(`the sandbox process did not start: ${detail}`);
    // Too many processes, no memory: the machine's fault, never the document's.
    rejectStart(new AppError('dependency_unavailable', 'No process could be started to read documents.', { cause }));
    const ranOutOfHeap = this.#stderr.includes('heap out of memory');
    this.#run?.reject(new SandboxExitError(this.#killedFor ?? (ranOutOfHeap ? 'memory' : 'crashed'), detail));
  }

  #checkMemory(): void {
    const bytes = this.#child.pid === undefined ? null : residentMemoryBytes(this.#child.pid);
    this.#peakBytes = Math.max(this.#peakBytes, bytes ?? 0);
    if (bytes !== null && bytes > this.#options.memoryBytes) this.kill('memory');
  }

  /** An idle process does not keep its parent from ending. */
  #hold(isBusy: boolean): void {
    const stderr = this.#child.stderr;
    const handles = [
      this.#child,
      this.#child.channel,
      stderr && 'ref' in stderr ? (stderr as unknown as NodeJS.RefCounted) : null,
    ];
    for (const handle of handles)
      if (isBusy || this.#isEnding) handle?.ref();
      else handle?.unref();
  }
}

function nodeArguments({ folder, readableFolders, memoryBytes }: ProcessOptions): string[] {
  const code = ['providers', 'domain', 'node_modules', 'package.json'].map((name) => realpathSync(join(ROOT, name)));
  const readable = [...code, folder, ...readableFolders];
  return [
    '--permission',
    // For the watchdog alone: the lockdown takes threads away once it runs.
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${join(folder, 'out')}`,
    `--max-old-space-size=${Math.floor((memoryBytes * HEAP_SHARE) / 1024 / 1024)}`,
    '--no-warnings',
  ];
}

/** Memory of a process in bytes, by Linux's /proc; null where there is none or the process is gone. */
export function residentMemoryBytes(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
