import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { limitError } from './limit-error.ts';
import {
  endGroup,
  NOT_STARTED,
  outcomeOf,
  groupTasks,
  type TaskBatch,
  type SandboxOutcome,
  type SandboxTask,
  type TaskGroup,
} from './sandbox-batch.ts';
import { SandboxExitError, SandboxProcess } from './sandbox-process.ts';
import { createWorkFolder, placeInput } from './work-folder.ts';

export type { SandboxOutcome, SandboxTask } from './sandbox-batch.ts';

export type SandboxOptions = {
  /** Absolute path of the module whose `runTask` does the work. */
  taskModule: string;
  /** Child processes at most; default: one a core. */
  processes?: number;
  /** Resident memory a process may use. */
  memoryBytes: number;
  /** Time for each task. */
  timeoutMs: number;
  /** Folders beside the program's own code that tasks may read, e.g. of tokenizers. */
  readableFolders?: readonly string[];
  /** Where the pool keeps its files, on this machine; default: the system's folder for temporary files. */
  workFolder?: string;
  /** A process is replaced after so many tasks; default 5,000. */
  recycleAfterTasks?: number;
};

/** Outcomes in the order of the tasks. Their files go when it is disposed. */
export type SandboxBatch = AsyncDisposable & { outcomes: readonly SandboxOutcome[] };

const IDLE_MS = 60_000;
/** Of the memory limit; a process that once grew past it is not used again. */
const RECYCLE_SHARE = 0.5;
/** A crash may be somebody else's doing (the kernel's, an operator's); the second one is the document's. */
const MAX_CRASHES = 2;

/**
 * Runs tasks on files in persistent child processes without network, secrets or access to other files. A task that
 * breaks a limit or crashes the process fails alone: its neighbours are done by another process.
 */
export class SandboxPool {
  readonly #options: Required<Omit<SandboxOptions, 'workFolder'>>;
  readonly #workFolder: string | undefined;
  readonly #queue: TaskGroup[] = [];
  readonly #idle: SandboxProcess[] = [];
  readonly #busy = new Map<SandboxProcess, TaskGroup>();
  #root: Promise<string> | null = null;
  #counter = 0;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | null = null;

  constructor(options: SandboxOptions) {
    const defaults = { processes: availableParallelism(), readableFolders: [], recycleAfterTasks: 5_000 };
    this.#options = { ...defaults, ...options };
    this.#workFolder = options.workFolder;
  }

  /**
   * `beginWithinMs`: so long after the first task, no further one is begun; those come back as they went.
   * @throws the signal's reason; an Error when no process can be started or an input is not there.
   */
  async run(
    tasks: readonly SandboxTask[],
    { signal, beginWithinMs }: { signal?: AbortSignal | undefined; beginWithinMs?: number | undefined } = {},
  ): Promise<SandboxBatch> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The sandbox is closed.');
    this.#root ??= createWorkFolder(this.#workFolder);
    const root = await this.#root;
    const folder = join(root, `batch-${(this.#counter += 1)}`);
    // The root too, should somebody have tidied it away.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The sandbox is closed.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const batch: TaskBatch = {
      tasks,
      outcomes: [],
      folder,
      openGroups: 0,
      crashes: new Map(),
      startWithinMs: beginWithinMs ?? null,
      cutTimer: null,
      isCut: false,
      isSettled: false,
      resolve,
      reject,
    };
    const onAbort = (): void =>
      this.#abandon(batch, signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal?.addEventListener('abort', onAbort, { once: true });
    for (const indices of groupTasks(tasks.length, this.#options.processes)) this.#enqueue({ batch, indices });
    if (tasks.length === 0) resolve();
    this.#pump(root);
    try {
      await promise;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      if (batch.cutTimer) clearTimeout(batch.cutTimer);
    }
    const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
    return { outcomes: batch.outcomes.filter((outcome) => outcome !== undefined), [Symbol.asyncDispose]: dispose };
  }

  /** Ends every process; what is running is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    for (const { batch } of [...this.#queue, ...this.#busy.values()])
      this.#abandon(batch, new Error('The sandbox is closed.'));
    const processes = [...this.#idle.splice(0), ...this.#busy.keys()];
    for (const process of processes) process.kill();
    await Promise.all(processes.map((process) => process.ended));
    if (this.#root) await rm(await this.#root, { recursive: true, force: true });
  }

  #enqueue(slice: TaskGroup): void {
    slice.batch.openGroups += 1;
    if (slice.batch.isCut) this.#giveBack(slice);
    else this.#queue.push(slice);
  }

  #pump(root: string): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const process = this.#idle.pop() ?? this.#spawn(root);
      const slice = process && this.#queue.shift();
      if (!slice) return;
      this.#busy.set(process, slice);
      void this.#work(process, slice).finally(() => {
        this.#busy.delete(process);
        this.#release(process);
        this.#pump(root);
      });
    }
  }

  #spawn(root: string): SandboxProcess | null {
    if (this.#busy.size >= this.#options.processes) return null;
    try {
      return new SandboxProcess({ ...this.#options, folder: join(root, `process-${(this.#counter += 1)}`) });
    } catch (error) {
      // A full disk, no file handles left: all who wait hear of it.
      const reason = error instanceof Error ? error : new Error(String(error));
      for (const batch of new Set(this.#queue.map((slice) => slice.batch))) this.#abandon(batch, reason);
      return null;
    }
  }

  async #work(process: SandboxProcess, { batch, indices }: TaskGroup): Promise<void> {
    const job = `job-${(this.#counter += 1)}`;
    const [inFolder, outFolder] = [join(process.folder, 'in', job), join(process.folder, 'out', job)];
    let answers = 0;
    try {
      await Promise.all([mkdir(inFolder), mkdir(outFolder)]);
      const place = async (index: number) => {
        const inputPath = join(inFolder, String(index));
        await placeInput(batch.tasks[index]?.inputPath ?? '', inputPath);
        return { inputPath, outputPrefix: join(outFolder, String(index)), payload: batch.tasks[index]?.payload };
      };
      const running = process.run(await Promise.all(indices.map(place)), (answer) => {
        const index = indices[answers] ?? -1;
        batch.outcomes[index] = outcomeOf(answer, join(batch.folder, job, String(index)));
        answers += 1;
      });
      const { startWithinMs } = batch;
      if (startWithinMs !== null) batch.cutTimer ??= setTimeout(() => this.#cut(batch), startWithinMs);
      if (batch.isCut) process.cut();
      await running;
    } catch (error) {
      this.#explain(error, { batch, indices: indices.slice(answers) });
    }
    await rename(outFolder, join(batch.folder, job)).catch(() => undefined);
    await rm(inFolder, { recursive: true, force: true });
    endGroup(batch);
  }

  /** Begins nothing more of a batch; what is being worked on is done. */
  #cut(batch: TaskBatch): void {
    batch.isCut = true;
    for (const [process, slice] of this.#busy) if (slice.batch === batch) process.cut();
    const queued = this.#queue.filter((slice) => slice.batch === batch);
    this.#unqueue(batch);
    for (const slice of queued) this.#giveBack(slice);
  }

  #giveBack({ batch, indices }: TaskGroup): void {
    for (const index of indices) batch.outcomes[index] = { ok: false, error: NOT_STARTED };
    endGroup(batch);
  }

  #unqueue(batch: TaskBatch): void {
    const others = this.#queue.filter((slice) => slice.batch !== batch);
    this.#queue.splice(0, this.#queue.length, ...others);
  }

  /** What a failed run means for the tasks it left: the first was being worked on, the others were not begun. */
  #explain(error: unknown, { batch, indices: [culprit, ...rest] }: TaskGroup): void {
    if (!(error instanceof SandboxExitError) || culprit === undefined) {
      this.#abandon(batch, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (batch.isSettled || error.reason === 'stopped') return;
    const crashes = (batch.crashes.get(culprit) ?? 0) + 1;
    batch.crashes.set(culprit, crashes);
    const hasAnotherTry = crashes < MAX_CRASHES && !batch.isCut;
    if (error.reason === 'crashed' && hasAnotherTry) this.#enqueue({ batch, indices: [culprit] });
    else batch.outcomes[culprit] = { ok: false, error: limitError(error, this.#options) };
    if (rest.length > 0) this.#enqueue({ batch, indices: rest });
  }

  #abandon(batch: TaskBatch, error: Error): void {
    if (batch.isSettled) return;
    batch.isSettled = true;
    this.#unqueue(batch);
    for (const [process, slice] of this.#busy) if (slice.batch === batch) process.kill();
    batch.reject(error);
  }

  #release(process: SandboxProcess): void {
    const { recycleAfterTasks, memoryBytes } = this.#options;
    const isWorn = process.tasksDone >= recycleAfterTasks || process.peakBytes > memoryBytes * RECYCLE_SHARE;
    if (process.isUsable && !isWorn && !this.#isClosed) this.#idle.push(process);
    else this.#retire(process);
    this.#idleTimer ??= setTimeout(() => this.#retireIdle(), IDLE_MS).unref();
    this.#idleTimer.refresh();
  }

  #retireIdle(): void {
    for (const process of this.#idle.splice(0)) this.#retire(process);
  }

  #retire(process: SandboxProcess): void {
    process.kill();
    void process.ended.then(() => rm(process.folder, { recursive: true, force: true })).catch(() => undefined);
  }
}
