import { availableParallelism } from 'node:os';
import { Tinypool } from 'tinypool';
import { AppError } from '#domain/app-error.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import type { ThreadResult, ThreadTask } from './run-thread-task.ts';

const MOST_THREADS = 4;
const IDLE_MS = 60_000;
/** More wait for nothing: their clients are gone by then. */
const MOST_WAITING = 200;
const THREAD_MEMORY_MIB = 1_024;

/** What a thread is given for a task of this kind; how tokens are counted is known here. */
export type TaskInput<Kind extends ThreadTask['kind']> = Omit<Extract<ThreadTask, { kind: Kind }>, 'kind' | 'counting'>;

/** Threads that compress, started when they are needed and ended when they are not. */
export type CompressThreads = {
  /** @throws AppError `dependency_unavailable` when too many wait; the signal's reason when it is aborted, which ends the work. */
  run<Kind extends ThreadTask['kind']>(
    kind: Kind,
    input: TaskInput<Kind>,
    signal: AbortSignal,
  ): Promise<ThreadResult[Kind]>;
  close(): Promise<void>;
};

/** Nothing is started before the first task. */
export function createCompressThreads(counting: TokenCounting): CompressThreads {
  const pool = new Tinypool({
    filename: new URL('run-thread-task.ts', import.meta.url).href,
    name: 'runThreadTask',
    runtime: 'worker_threads',
    minThreads: 0,
    maxThreads: Math.min(MOST_THREADS, availableParallelism()),
    idleTimeout: IDLE_MS,
    maxQueue: MOST_WAITING,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MIB },
  });
  return {
    async run<Kind extends ThreadTask['kind']>(kind: Kind, input: TaskInput<Kind>, signal: AbortSignal) {
      signal.throwIfAborted();
      try {
        // The thread answers a task with the result of its kind.
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
