import type { ErrorCode } from '#domain/app-error.ts';

/** A task as the child process receives it. */
export type ChildTask = {
  /** The input file, inside the only folder that the task may read. */
  inputPath: string;
  /** Path prefix of files for larger results, inside the only folder that the task may write. */
  outputPrefix: string;
  payload: unknown;
};

/** Exports of the module that the child process loads. `runTask` returns a small, JSON-like value. */
export type TaskModule = { runTask(task: ChildTask): Promise<unknown> };

/** Messages from the pool to the child process. */
export type ToChild =
  | { type: 'tasks'; tasks: readonly ChildTask[] }
  /** Finish the current task and start no further one. */
  | { type: 'drain' };

/** Messages from the child process; one for each task, in order. */
export type FromChild =
  | { type: 'ready' }
  | { type: 'value'; value: unknown }
  | { type: 'not_started' }
  /** `systemCode`: that of an error of the operating system. `detail` is only for the log: it may contain code and paths. */
  | { type: 'failure'; code: ErrorCode | null; systemCode: string | null; message: string; detail: string };
