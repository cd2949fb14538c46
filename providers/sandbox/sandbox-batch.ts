import { AppError } from '#domain/app-error.ts';
import type { QueuePlace } from '#domain/fair-queue.ts';
import type { FromChild } from './child-task.ts';

export type SandboxTask = {
  inputPath: string;
  /** The input, when it is in memory: then there is no file at `inputPath`. */
  inputBytes?: Uint8Array | undefined;
  payload: unknown;
  /** Processor time that the task may use, in milliseconds, by the bytes of its file; default: no limit. */
  cpuBudgetMs?: (sizeBytes: number) => number;
  /** Returns the endings of the files that belong to a value; default: none. The value is not validated yet. Must not throw. */
  filesOf?: (value: unknown) => readonly string[];
};

/** `error` is an AppError when the document caused it, or NOT_STARTED; any other error is a fault of the installation. */
export type SandboxOutcome =
  | { ok: true; value: unknown; /** Path prefix of the files that the task wrote. */ outputPrefix: string }
  | { ok: false; error: Error };

/** Called once for each task, as soon as its outcome is known. */
export type OutcomeListener = (index: number, outcome: SandboxOutcome) => void;

type BatchOptions = {
  tasks: readonly SandboxTask[];
  /** Bytes of the file of each task. */
  sizes: readonly number[];
  folder: string;
  place: QueuePlace;
  /** Time after the start of the first task during which further tasks may start; null without a limit. */
  startWithinMs: number | null;
  onOutcome: OutcomeListener | undefined;
};

/** Outcome of a task that did not start in time. */
export const NOT_STARTED = new AppError('dependency_unavailable', 'Reading did not start within its time slice.');

/** The tasks of one call. It has ended when each task has an outcome, or when it was rejected. */
export class TaskBatch {
  readonly options: BatchOptions;
  readonly crashes = new Map<number, number>();
  /** Rejects with the reason given to `reject`. */
  readonly ended: Promise<readonly SandboxOutcome[]>;
  drainTimer: NodeJS.Timeout | null = null;
  isDraining = false;
  readonly #outcomes: SandboxOutcome[] = [];
  readonly #resolve: (outcomes: readonly SandboxOutcome[]) => void;
  readonly #reject: (reason: Error) => void;
  #openTasks: number;
  #isEnded = false;

  constructor(options: BatchOptions) {
    this.options = options;
    this.#openTasks = options.tasks.length;
    const { promise, resolve, reject } = Promise.withResolvers<readonly SandboxOutcome[]>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    if (this.#openTasks === 0) this.#end(() => resolve([]));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Processor time that a task may use; null without a limit. */
  cpuBudgetMs(index: number): number | null {
    const { tasks, sizes } = this.options;
    return tasks[index]?.cpuBudgetMs?.(sizes[index] ?? 0) ?? null;
  }

  /** Sets the outcome of a task. @throws what the listener throws. */
  settle(index: number, outcome: SandboxOutcome): void {
    if (this.#isEnded || this.#outcomes[index]) return;
    this.#outcomes[index] = outcome;
    this.#openTasks -= 1;
    this.options.onOutcome?.(index, outcome);
    if (this.#openTasks === 0) this.#end(() => this.#resolve(this.#outcomes));
  }

  /** Ends the batch without outcomes; only the first call of one that has not ended counts. */
  reject(reason: Error): void {
    this.#end(() => this.#reject(reason));
  }

  #end(tell: () => void): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.drainTimer) clearTimeout(this.drainTimer);
    tell();
  }
}

/** Tasks that are sent to a process in one message. */
export type TaskGroup = { batch: TaskBatch; indices: readonly number[] };

/** Converts the answer of a process to the outcome of its task. */
export function outcomeOf(answer: Exclude<FromChild, { type: 'ready' }>, outputPrefix: string): SandboxOutcome {
  if (answer.type === 'not_started') return { ok: false, error: NOT_STARTED };
  if (answer.type === 'value') return { ok: true, value: answer.value, outputPrefix };
  const cause = new Error(answer.detail);
  if (answer.code !== null) return { ok: false, error: new AppError(answer.code, answer.message, { cause }) };
  // Whether the error passes depends on it.
  return { ok: false, error: answer.systemCode === null ? cause : Object.assign(cause, { code: answer.systemCode }) };
}
