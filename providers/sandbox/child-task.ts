import type { ErrorCode } from '#domain/app-error.ts';

/** A task as the child gets it. */
export type ChildTask = {
  /** The file to work on; inside the only folder it may read. */
  inputPath: string;
  /** Larger results go to files whose names begin with this; inside the only folder it may write. */
  outputPrefix: string;
  payload: unknown;
};

/** What the module named at start exports: does one task, answers with something small and JSON-like. */
export type TaskModule = { runTask(task: ChildTask): Promise<unknown> };

export type ToChild =
  | { type: 'tasks'; tasks: readonly ChildTask[] }
  /** Nothing more is to be begun of those tasks. */
  | { type: 'cut' };

export type FromChild =
  | { type: 'ready' }
  | { type: 'value'; value: unknown }
  | { type: 'not_begun' }
  /** `detail` is for the log only: it may name code and files. */
  | { type: 'failure'; code: ErrorCode | null; message: string; detail: string };
