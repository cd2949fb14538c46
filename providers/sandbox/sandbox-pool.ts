import { mkdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { FairQueue, type TakenItem } from '#domain/fair-queue.ts';
import type { WorkLane, WorkShare } from '#domain/work-share.ts';
import { groupTasks } from './group-tasks.ts';
import { LaneProcesses } from './lane-processes.ts';
import { limitError } from './limit-error.ts';
import { runGroup, type FailedRun } from './run-group.ts';
import {
  NOT_STARTED,
  TaskBatch,
  type OutcomeListener,
  type SandboxOutcome,
  type SandboxTask,
  type TaskGroup,
} from './sandbox-batch.ts';
import { SandboxExitError, SandboxProcess } from './sandbox-process.ts';
import { createWorkFolder } from './work-folder.ts';

export type { SandboxOutcome, SandboxTask } from './sandbox-batch.ts';

export type SandboxOptions = {
  /** Absolute path of the module that exports `runTask`. */
  taskModule: string;
  /** Most child processes of lane `bulk`; default: one per core. Lane `express` may use one more. */
  processes?: number;
  /** Most processes that work for one share at the same time; default: all. */
  maxPerShare?: number;
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

export type SandboxRunOptions = WorkShare & {
  /** Aborting it ends the processes that run one of the tasks at once. */
  signal?: AbortSignal | undefined;
  startWithinMs?: number | undefined;
  /** Called once for each task, as soon as its outcome is known; the files of the outcome are complete by then. */
  onOutcome?: OutcomeListener | undefined;
};

/** Outcomes in the order of the tasks. Disposing it deletes their files. */
export type SandboxBatch = AsyncDisposable & { outcomes: readonly SandboxOutcome[] };

/** In the order in which they are served. */
const LANES: readonly WorkLane[] = ['express', 'bulk'];
/** Share of the memory limit; a process that has exceeded it is replaced. */
const RECYCLE_SHARE = 0.5;
/** The first crash may have another cause (the kernel, an operator); the second one is attributed to the document. */
const MAX_CRASHES = 2;

/**
 * Runs tasks on files in persistent child processes without network, secrets or access to other files. A task that exceeds a
 * limit or crashes its process fails alone: the other tasks are run by another process. Lane `express` is served first; within a
 * lane shares take turns, a few small files or one large file at a time.
 */
export class SandboxPool {
  readonly #options: Required<Omit<SandboxOptions, 'workFolder'>>;
  readonly #workFolder: string | undefined;
  readonly #queue: FairQueue<TaskGroup>;
  readonly #running = new Map<TaskGroup, SandboxProcess>();
  readonly #processes: LaneProcesses;
  #root: Promise<string> | null = null;
  #counter = 0;
  #isClosed = false;

  constructor(options: SandboxOptions) {
    const defaults = { processes: availableParallelism(), readableFolders: [], recycleAfterTasks: 5_000 };
    this.#options = { ...defaults, maxPerShare: Infinity, ...options };
    this.#queue = new FairQueue(LANES.length, { maxPerShare: this.#options.maxPerShare });
    this.#workFolder = options.workFolder;
    const { processes } = this.#options;
    this.#processes = new LaneProcesses({ processes, isWorn: (process) => this.#isWorn(process) });
  }

  /**
   * Runs tasks. `startWithinMs` after the first one, no further task is started; their outcome is NOT_STARTED.
   * @throws the signal's reason; an Error when no process can be started or an input file is missing.
   */
  async run(tasks: readonly SandboxTask[], options: SandboxRunOptions = {}): Promise<SandboxBatch> {
    const { signal, lane = 'bulk', share = '', startWithinMs = null, onOutcome } = options;
    this.#throwIfEnded(signal);
    const sizes = await Promise.all(
      tasks.map(async (task) => task.inputBytes?.length ?? (await stat(task.inputPath)).size),
    );
    const root = await this.#openRoot();
    const folder = join(root, `batch-${(this.#counter += 1)}`);
    // `recursive`: the root may have been deleted by a cleanup of temporary files.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
    const place = { lane: LANES.indexOf(lane), share };
    const batch = new TaskBatch({ tasks, sizes, folder, place, startWithinMs, onOutcome });
    const onAbort = (): void =>
      this.#rejectBatch(batch, signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    try {
      this.#throwIfEnded(signal);
      signal?.addEventListener('abort', onAbort, { once: true });
      for (const indices of groupTasks(sizes, this.#options.processes)) this.#queue.add({ batch, indices }, place);
      this.#dispatch(root);
      return { outcomes: await batch.ended, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      await dispose();
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Groups of tasks that wait or run. */
  get load(): number {
    return this.#queue.size + this.#running.size;
  }

  /** Ends all processes; running batches are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new Error('The sandbox is closed.');
    for (const { batch } of [...this.#queue.remove(() => true), ...this.#running.keys()])
      this.#rejectBatch(batch, error);
    await this.#processes.close();
    if (this.#root) await rm(await this.#root, { recursive: true, force: true });
  }

  #throwIfEnded(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The sandbox is closed.');
  }

  /** A failure is not kept: the next call tries again. */
  #openRoot(): Promise<string> {
    this.#root ??= createWorkFolder(this.#workFolder).catch((error: unknown) => {
      this.#root = null;
      throw error;
    });
    return this.#root;
  }

  #enqueue(group: TaskGroup): void {
    const { batch } = group;
    if (batch.isDraining) this.#returnUnstarted(group);
    else if (!batch.isEnded) this.#queue.add(group, batch.options.place);
  }

  #dispatch(root: string): void {
    while (!this.#isClosed) {
      const lane = LANES.findLastIndex((one) => this.#processes.hasRoom(one));
      const taken = lane < 0 ? null : this.#queue.take(lane);
      if (!taken) return;
      this.#start(taken, root);
    }
  }

  #start({ item: group, place, release }: TakenItem<TaskGroup>, root: string): void {
    const lane = LANES[place.lane] ?? 'bulk';
    const folder = join(root, `process-${(this.#counter += 1)}`);
    try {
      const process = this.#processes.take(lane, () => new SandboxProcess({ ...this.#options, lane, folder }));
      this.#running.set(group, process);
      void this.#runGroup(process, group).finally(() => {
        this.#running.delete(group);
        release();
        this.#processes.release(process);
        this.#dispatch(root);
      });
    } catch (error) {
      release();
      // E.g. a full disk, or no free file handles: all waiting batches are rejected.
      for (const { batch } of [group, ...this.#queue.remove(() => true)]) this.#rejectBatch(batch, toError(error));
    }
  }

  async #runGroup(process: SandboxProcess, group: TaskGroup): Promise<void> {
    const { batch } = group;
    const { startWithinMs } = batch.options;
    if (startWithinMs !== null) batch.drainTimer ??= setTimeout(() => this.#drain(batch), startWithinMs);
    const job = `job-${(this.#counter += 1)}`;
    const settle = (index: number, outcome: SandboxOutcome): void => this.#settle(batch, index, outcome);
    const failure = await runGroup(process, { group, job, settle });
    if (failure) this.#handleFailure(failure, batch);
  }

  /** Starts no further task of a batch; running tasks finish. */
  #drain(batch: TaskBatch): void {
    batch.isDraining = true;
    for (const [group, process] of this.#running) if (group.batch === batch) process.drain();
    for (const group of this.#queue.remove((waiting) => waiting.batch === batch)) this.#returnUnstarted(group);
  }

  #returnUnstarted({ batch, indices }: TaskGroup): void {
    for (const index of indices) this.#settle(batch, index, { ok: false, error: NOT_STARTED });
  }

  /** Handles a failed run: the first task without an answer was running, the others had not started. */
  #handleFailure({ error, indices: [failed, ...rest] }: FailedRun, batch: TaskBatch): void {
    if (!(error instanceof SandboxExitError) || failed === undefined) {
      this.#rejectBatch(batch, toError(error));
      return;
    }
    if (batch.isEnded || error.reason === 'stopped') return;
    const crashes = (batch.crashes.get(failed) ?? 0) + 1;
    batch.crashes.set(failed, crashes);
    const hasAnotherTry = crashes < MAX_CRASHES && !batch.isDraining;
    if (error.reason === 'crashed' && hasAnotherTry) this.#enqueue({ batch, indices: [failed] });
    else {
      const limits = { ...this.#options, cpuBudgetMs: batch.cpuBudgetMs(failed) };
      this.#settle(batch, failed, { ok: false, error: limitError(error, limits) });
    }
    if (rest.length > 0) this.#enqueue({ batch, indices: rest });
  }

  #settle(batch: TaskBatch, index: number, outcome: SandboxOutcome): void {
    try {
      batch.settle(index, outcome);
    } catch (error) {
      this.#rejectBatch(batch, toError(error));
    }
  }

  #rejectBatch(batch: TaskBatch, error: Error): void {
    if (batch.isEnded) return;
    batch.reject(error);
    this.#queue.remove((group) => group.batch === batch);
    for (const [group, process] of this.#running) if (group.batch === batch) process.kill();
  }

  #isWorn({ tasksDone, peakBytes }: SandboxProcess): boolean {
    const { recycleAfterTasks, memoryBytes } = this.#options;
    return this.#isClosed || tasksDone >= recycleAfterTasks || peakBytes > memoryBytes * RECYCLE_SHARE;
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
