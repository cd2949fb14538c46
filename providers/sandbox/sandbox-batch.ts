import { AppError } from '#domain/app-error.ts';
import type { FromChild } from './child-task.ts';

export type SandboxTask = { inputPath: string; payload: unknown };

/** `error` is an AppError when the document is to blame, or NOT_BEGUN; anything else is a fault of the installation. */
export type SandboxOutcome =
  | { ok: true; value: unknown; /** The names of files the task left begin with this. */ outputPrefix: string }
  | { ok: false; error: Error };

export type TaskBatch = {
  tasks: readonly SandboxTask[];
  outcomes: (SandboxOutcome | undefined)[];
  folder: string;
  openGroups: number;
  crashes: Map<number, number>;
  /** Runs out some time after the first task was begun; nothing is begun after that. */
  startWithinMs: number | null;
  cutTimer: NodeJS.Timeout | null;
  isCut: boolean;
  isSettled: boolean;
  resolve: () => void;
  reject: (error: Error) => void;
};
/** Tasks that travel together in one message. */
export type TaskGroup = { batch: TaskBatch; indices: readonly number[] };

const MAX_GROUP_TASKS = 32;

/** Of a task whose turn had not come when the time to begin was over. */
export const NOT_STARTED = new AppError(
  'dependency_unavailable',
  'Reading was not begun in the time there was for it.',
);

/** A slice that came to its end, whatever it was; the last one settles the batch. */
export function endGroup(batch: TaskBatch): void {
  batch.openGroups -= 1;
  if (batch.openGroups > 0 || batch.isSettled) return;
  batch.isSettled = true;
  batch.resolve();
}

/** Even shares for all processes, in messages of bounded size. */
export function groupTasks(tasks: number, processes: number): number[][] {
  const size = Math.max(1, Math.min(MAX_GROUP_TASKS, Math.ceil(tasks / processes)));
  const indices = Array.from({ length: tasks }, (_, index) => index);
  return Array.from({ length: Math.ceil(tasks / size) }, (_, slice) => indices.slice(slice * size, (slice + 1) * size));
}

/** An answer of a process as the outcome of its task. */
export function outcomeOf(answer: Exclude<FromChild, { type: 'ready' }>, outputPrefix: string): SandboxOutcome {
  if (answer.type === 'not_begun') return { ok: false, error: NOT_STARTED };
  if (answer.type === 'value') return { ok: true, value: answer.value, outputPrefix };
  const cause = new Error(answer.detail);
  return { ok: false, error: answer.code === null ? cause : new AppError(answer.code, answer.message, { cause }) };
}
