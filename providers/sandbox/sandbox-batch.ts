import { AppError } from '#domain/app-error.ts';
import type { FromChild } from './child-task.ts';

export type SandboxTask = { inputPath: string; payload: unknown };

/** `error` is an AppError when the document caused it, or NOT_STARTED; any other error is a fault of the installation. */
export type SandboxOutcome =
  | { ok: true; value: unknown; /** Path prefix of the files that the task wrote. */ outputPrefix: string }
  | { ok: false; error: Error };

export type TaskBatch = {
  tasks: readonly SandboxTask[];
  outcomes: (SandboxOutcome | undefined)[];
  folder: string;
  openGroups: number;
  crashes: Map<number, number>;
  /** Time after the start of the first task during which further tasks may start; null without a limit. */
  startWithinMs: number | null;
  drainTimer: NodeJS.Timeout | null;
  isDraining: boolean;
  isSettled: boolean;
  resolve: () => void;
  reject: (error: Error) => void;
};
/** Tasks that are sent to a process in one message. */
export type TaskGroup = { batch: TaskBatch; indices: readonly number[] };

const MAX_GROUP_TASKS = 32;

/** Outcome of a task that did not start in time. */
export const NOT_STARTED = new AppError('dependency_unavailable', 'Reading did not start within its time slice.');

/** Counts a group as ended; the last one settles the batch. */
export function endGroup(batch: TaskBatch): void {
  batch.openGroups -= 1;
  if (batch.openGroups > 0 || batch.isSettled) return;
  batch.isSettled = true;
  batch.resolve();
}

/** Splits tasks evenly among processes, in groups of bounded size. Returns the indices of each group. */
export function groupTasks(tasks: number, processes: number): number[][] {
  const size = Math.max(1, Math.min(MAX_GROUP_TASKS, Math.ceil(tasks / processes)));
  const indices = Array.from({ length: tasks }, (_, index) => index);
  return Array.from({ length: Math.ceil(tasks / size) }, (_, group) => indices.slice(group * size, (group + 1) * size));
}

/** Converts the answer of a process to the outcome of its task. */
export function outcomeOf(answer: Exclude<FromChild, { type: 'ready' }>, outputPrefix: string): SandboxOutcome {
  if (answer.type === 'not_started') return { ok: false, error: NOT_STARTED };
  if (answer.type === 'value') return { ok: true, value: answer.value, outputPrefix };
  const cause = new Error(answer.detail);
  return { ok: false, error: answer.code === null ? cause : new AppError(answer.code, answer.message, { cause }) };
}
