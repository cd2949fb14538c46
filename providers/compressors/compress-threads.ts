import { availableParallelism } from 'node:os';
import { Tinypool } from 'tinypool';
import { AppError } from '#domain/app-error.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import type { ThreadResult, ThreadTask } from './run-thread-task.ts';

const MAX_THREADS = 4;
const IDLE_MS = 60_000;
/** Further tasks are rejected: their clients would have timed out before they start. */
const MAX_QUEUED = 200;
const THREAD_MEMORY_MIB = 1_024;

/** Input of a task, without what this module adds to it. */
export type TaskInput<Kind extends ThreadTask['kind']> = Omit<Extract<ThreadTask, { kind: Kind }>, 'kind' | 'counting'>;

/** A pool of threads that starts them on demand and ends them when idle. */
export type CompressThreads = {
  /**
   * @throws AppError `dependency_unavailable` when the queue is full; the reason of `signal` when it is aborted, which stops the
   * work.
   */
  run<Kind extends ThreadTask['kind']>(
    kind: Kind,
    input: TaskInput<Kind>,
    signal: AbortSignal,
  ): Promise<ThreadResult[Kind]>;
  close(): Promise<void>;
};

/** Creates a pool without threads; the first task starts the first one. */
export function createCompressThreads(counting: TokenCounting): CompressThreads {
  const pool = new Tinypool({
    filename: new URL('run-thread-task.ts', import.meta.url).href,
    name: 'runThreadTask',
    runtime: 'worker_threads',
    minThreads: 0,
    maxThreads: Math.min(MAX_THREADS, availableParallelism()),
    idleTimeout: IDLE_MS,
    maxQueue: MAX_QUEUED,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MIB },
  });
  return {
    async run<Kind extends ThreadTask['kind']>(kind: Kind, input: TaskInput<Kind>, signal: AbortSignal) {
      signal.throwIfAborted();
      try {
        // `runThreadTask` returns the result of the task's kind.
        return (await pool.run({ ...input, kind, counting }, { signal })) as ThreadResult[Kind];
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Error && /queue/i.test(error.message)) {
          const message = 'Too many texts are being compressed; try again in a moment.';
          throw new AppError('dependency_unavailable', message, { cause: error, retryAfterS: 2 });
        }
        throw error;
      }
    },
    close: () => pool.destroy(),
  };
}
