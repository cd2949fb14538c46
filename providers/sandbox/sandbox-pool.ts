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
  /** Absolute path of the module that exports `runTask`. */
  taskModule: string;
  /** Most child processes; default: one per core. */
  processes?: number;
  /** Most resident memory of a process. */
  memoryBytes: number;
  /** Time limit of each task. */
  timeoutMs: number;
  /** Folders that tasks may read in addition to the program's code, e.g. of tokenizers. */
  readableFolders?: readonly string[];
  /** Parent folder of the pool's files, on a local disk; default: the system's temporary folder. */
  workFolder?: string;
  /** A process is replaced after this many tasks; default 5,000. */
  recycleAfterTasks?: number;
};

/** Outcomes in the order of the tasks. Disposing it deletes their files. */
export type SandboxBatch = AsyncDisposable & { outcomes: readonly SandboxOutcome[] };

const IDLE_MS = 60_000;
/** Share of the memory limit; a process that has exceeded it is replaced. */
const RECYCLE_SHARE = 0.5;
/** The first crash may have another cause (the kernel, an operator); the second one is attributed to the document. */
const MAX_CRASHES = 2;

/**
 * Runs tasks on files in persistent child processes without network, secrets or access to other files. A task that exceeds a
 * limit or crashes its process fails alone: the other tasks are run by another process.
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
   * Runs tasks. `startWithinMs` after the first one, no further task is started; their outcome is NOT_STARTED.
   * @throws the signal's reason; an Error when no process can be started or an input file is missing.
   */
  async run(
    tasks: readonly SandboxTask[],
    { signal, startWithinMs }: { signal?: AbortSignal | undefined; startWithinMs?: number | undefined } = {},
  ): Promise<SandboxBatch> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The sandbox is closed.');
    this.#root ??= createWorkFolder(this.#workFolder);
    const root = await this.#root;
    const folder = join(root, `batch-${(this.#counter += 1)}`);
    // `recursive`: the root may have been deleted by a cleanup of temporary files.
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
      startWithinMs: startWithinMs ?? null,
      drainTimer: null,
      isDraining: false,
      isSettled: false,
      resolve,
      reject,
    };
    const onAbort = (): void =>
      this.#rejectBatch(batch, signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal?.addEventListener('abort', onAbort, { once: true });
    for (const indices of groupTasks(tasks.length, this.#options.processes)) this.#enqueue({ batch, indices });
    if (tasks.length === 0) resolve();
    this.#dispatch(root);
    try {
      await promise;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      if (batch.drainTimer) clearTimeout(batch.drainTimer);
    }
    const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
    return { outcomes: batch.outcomes.filter((outcome) => outcome !== undefined), [Symbol.asyncDispose]: dispose };
  }

  /** Ends all processes; running batches are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    for (const { batch } of [...this.#queue, ...this.#busy.values()])
      this.#rejectBatch(batch, new Error('The sandbox is closed.'));
    const processes = [...this.#idle.splice(0), ...this.#busy.keys()];
    for (const process of processes) process.kill();
    await Promise.all(processes.map((process) => process.ended));
    if (this.#root) await rm(await this.#root, { recursive: true, force: true });
  }

  #enqueue(group: TaskGroup): void {
    group.batch.openGroups += 1;
    if (group.batch.isDraining) this.#returnUnstarted(group);
    else this.#queue.push(group);
  }

  #dispatch(root: string): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const process = this.#idle.pop() ?? this.#spawn(root);
      const group = process && this.#queue.shift();
      if (!group) return;
      this.#busy.set(process, group);
      void this.#runGroup(process, group).finally(() => {
        this.#busy.delete(process);
        this.#release(process);
        this.#dispatch(root);
      });
    }
  }

  #spawn(root: string): SandboxProcess | null {
    if (this.#busy.size >= this.#options.processes) return null;
    try {
      return new SandboxProcess({ ...this.#options, folder: join(root, `process-${(this.#counter += 1)}`) });
    } catch (error) {
      // E.g. a full disk, or no free file handles: all waiting batches are rejected.
      const reason = error instanceof Error ? error : new Error(String(error));
      for (const batch of new Set(this.#queue.map((group) => group.batch))) this.#rejectBatch(batch, reason);
      return null;
    }
  }

  async #runGroup(process: SandboxProcess, { batch, indices }: TaskGroup): Promise<void> {
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
      if (startWithinMs !== null) batch.drainTimer ??= setTimeout(() => this.#drain(batch), startWithinMs);
      if (batch.isDraining) process.drain();
      await running;
    } catch (error) {
      this.#handleFailure(error, { batch, indices: indices.slice(answers) });
    }
    await rename(outFolder, join(batch.folder, job)).catch(() => undefined);
    await rm(inFolder, { recursive: true, force: true });
    endGroup(batch);
  }

  /** Starts no further task of a batch; running tasks finish. */
  #drain(batch: TaskBatch): void {
    batch.isDraining = true;
    for (const [process, group] of this.#busy) if (group.batch === batch) process.drain();
    const queued = this.#queue.filter((group) => group.batch === batch);
    this.#removeFromQueue(batch);
    for (const group of queued) this.#returnUnstarted(group);
  }

  #returnUnstarted({ batch, indices }: TaskGroup): void {
    for (const index of indices) batch.outcomes[index] = { ok: false, error: NOT_STARTED };
    endGroup(batch);
  }

  #removeFromQueue(batch: TaskBatch): void {
    const others = this.#queue.filter((group) => group.batch !== batch);
    this.#queue.splice(0, this.#queue.length, ...others);
  }

  /** Handles a failed run: the first task without an answer was running, the others had not started. */
  #handleFailure(error: unknown, { batch, indices: [failed, ...rest] }: TaskGroup): void {
    if (!(error instanceof SandboxExitError) || failed === undefined) {
      this.#rejectBatch(batch, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (batch.isSettled || error.reason === 'stopped') return;
    const crashes = (batch.crashes.get(failed) ?? 0) + 1;
    batch.crashes.set(failed, crashes);
    const hasAnotherTry = crashes < MAX_CRASHES && !batch.isDraining;
    if (error.reason === 'crashed' && hasAnotherTry) this.#enqueue({ batch, indices: [failed] });
    else batch.outcomes[failed] = { ok: false, error: limitError(error, this.#options) };
    if (rest.length > 0) this.#enqueue({ batch, indices: rest });
  }

  #rejectBatch(batch: TaskBatch, error: Error): void {
    if (batch.isSettled) return;
    batch.isSettled = true;
    this.#removeFromQueue(batch);
    for (const [process, group] of this.#busy) if (group.batch === batch) process.kill();
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
