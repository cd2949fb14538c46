import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { ChildTask, FromChild, ToChild } from './child-task.ts';
import { forkChild, type ProcessOptions } from './fork-child.ts';
import { residentMemoryBytes, TaskMeter } from './task-meter.ts';

/** `cpuBudgetMs`: processor time that the task may use; null without a limit. */
export type ProcessTask = { task: ChildTask; cpuBudgetMs: number | null };

export type ExitReason = 'timeout' | 'cpu' | 'memory' | 'crashed' | 'stopped';

/** The process exited before it answered all tasks; the first one without an answer was running. */
export class SandboxExitError extends Error {
  readonly reason: ExitReason;
  constructor(reason: ExitReason, detail: string) {
    super(`the sandbox process ended (${reason}): ${detail}`);
    this.name = 'SandboxExitError';
    this.reason = reason;
  }
}

type Answer = Exclude<FromChild, { type: 'ready' }>;
type Run = {
  tasks: readonly ProcessTask[];
  answers: number;
  /** Measures the current task, from the first check of its limits on; most tasks have ended by then. */
  meter: TaskMeter | null;
  onAnswer: (answer: Answer) => void;
  resolve: () => void;
  reject: (error: Error) => void;
};

const POLL_MS = 50;
const START_TIMEOUT_MS = 30_000;
const STDERR_BYTES = 4096;

/** One sandboxed child process. Runs one group of tasks at a time; is killed when it exceeds a limit. */
export class SandboxProcess {
  readonly #child: ChildProcess;
  readonly #options: ProcessOptions;
  readonly #ready: Promise<void>;
  #run: Run | null = null;
  #killReason: ExitReason | null = null;
  #stderr = '';
  #tasksDone = 0;
  #peakBytes = 0;
  #isEnding = false;
  #isDraining = false;
  /** Resolves when the process has exited. */
  readonly ended: Promise<void>;

  constructor(options: ProcessOptions) {
    this.#options = options;
    mkdirSync(join(options.folder, 'in'), { recursive: true });
    mkdirSync(join(options.folder, 'out'));
    this.#child = forkChild(options);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_BYTES);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', () => resolve()).once('error', () => resolve());
    });
    this.#ready = this.#start();
    // `run` awaits it again; this handler only prevents an unhandled rejection before that.
    this.#ready.catch(() => undefined);
  }

  get folder(): string {
    return this.#options.folder;
  }

  get tasksDone(): number {
    return this.#tasksDone;
  }

  /** False when the process is ending. */
  get isUsable(): boolean {
    return !this.#isEnding;
  }

  /** Highest memory use seen, in bytes; 0 where it cannot be measured. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  /**
   * Runs tasks in order and reports each answer.
   * @throws SandboxExitError; AppError `dependency_unavailable` when the process could not be started.
   */
  async run(tasks: readonly ProcessTask[], onAnswer: (answer: Answer) => void): Promise<void> {
    this.#isDraining = false;
    this.#keepAlive(true);
    try {
      await this.#ready;
      await this.#runReady(tasks, onAnswer);
    } finally {
      this.#keepAlive(false);
    }
  }

  /** Lets the current task finish and starts no further one: the remaining tasks are answered as not started. */
  drain(): void {
    this.#isDraining = true;
    if (this.#run) this.#send({ type: 'drain' });
  }

  kill(reason: ExitReason = 'stopped'): void {
    this.#killReason ??= reason;
    this.#isEnding = true;
    this.#keepAlive(true);
    this.#child.kill('SIGKILL');
  }

  #runReady(tasks: readonly ProcessTask[], onAnswer: (answer: Answer) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#isEnding) throw new SandboxExitError(this.#killReason ?? 'crashed', 'it had already exited');
    const watch = setInterval(() => this.#checkLimits(), POLL_MS);
    this.#run = { tasks, answers: 0, meter: null, onAnswer, resolve, reject };
    this.#send({ type: 'tasks', tasks: tasks.map(({ task }) => task) });
    if (this.#isDraining) this.#send({ type: 'drain' });
    return promise.finally(() => {
      clearInterval(watch);
      this.#run = null;
    });
  }

  /** Sends a message. A failure is ignored: it means that the process has exited, which is handled there. */
  #send(message: ToChild): void {
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
    this.#child.on('error', (error) => this.#onExit(error.message, reject));
    this.#child.on('close', (code, signal) => {
      clearTimeout(timer);
      this.#onExit(`${signal ?? `exit code ${code}`} ${this.#stderr}`, reject);
    });
    return promise;
  }

  #answer(answer: Answer): void {
    const run = this.#run;
    if (!run) return;
    run.answers += 1;
    run.meter = null;
    this.#tasksDone += 1;
    run.onAnswer(answer);
    if (run.answers === run.tasks.length) {
      this.#checkLimits();
      run.resolve();
    }
  }

  #onExit(detail: string, rejectStart: (error: Error) => void): void {
    this.#isEnding = true;
    const cause = new Error(`the sandbox process did not start: ${detail}`);
    // E.g. too many processes, or no memory: a problem of the machine, not of the document.
    rejectStart(new AppError('dependency_unavailable', 'No process could be started to read documents.', { cause }));
    const ranOutOfHeap = this.#stderr.includes('heap out of memory');
    this.#run?.reject(new SandboxExitError(this.#killReason ?? (ranOutOfHeap ? 'memory' : 'crashed'), detail));
  }

  #checkLimits(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    const { memoryBytes, timeoutMs } = this.#options;
    const bytes = residentMemoryBytes(pid);
    this.#peakBytes = Math.max(this.#peakBytes, bytes ?? 0);
    if (bytes !== null && bytes > memoryBytes) this.kill('memory');
    const run = this.#run;
    const task = run?.tasks[run.answers];
    if (!run || !task) return;
    run.meter ??= new TaskMeter(pid);
    if (run.meter.elapsedMs() > timeoutMs) this.kill('timeout');
    if (task.cpuBudgetMs !== null && run.meter.cpuMs() > task.cpuBudgetMs) this.kill('cpu');
  }

  /** Lets an idle process not keep its parent alive. */
  #keepAlive(isBusy: boolean): void {
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
