import { availableParallelism } from 'node:os';
import { Tinypool } from 'tinypool';
import { AppError } from '#domain/app-error.ts';
import type { CompressionWindow, CompressWork } from '#domain/compression/compressor.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import { QueueBounds } from './queue-bounds.ts';
import type { ThreadResult, ThreadTask } from './run-thread-task.ts';

const MAX_THREADS = 4;
/** Threads that take small texts only, so that these never wait for large ones, which take seconds. */
const SMALL_THREADS = 1;
const SMALL_BYTES = 128 * 1024;
const IDLE_MS = 60_000;
const MIB = 1024 * 1024;
/** What may wait. Further tasks are rejected: their clients would have timed out before they start. */
const MAX_WAITING = {
  /** Of one workspace. */
  share: { tasks: 200, bytes: 64 * MIB },
  total: { tasks: 1_000, bytes: 256 * MIB },
};
/** Strings take up to two bytes for each UTF-16 code unit. */
const BYTES_PER_UNIT = 2;
const THREAD_MEMORY_MIB = 1_024;
const RETRY_AFTER_S = 2;
/** Message of the pool's error when it ends a thread that has a task. */
const THREAD_ENDED = 'Terminating worker thread';
const MAX_ATTEMPTS = 3;

/** Input of a task, without what this module adds to it. */
export type TaskInput<Kind extends ThreadTask['kind']> = Omit<Extract<ThreadTask, { kind: Kind }>, 'kind' | 'counting'>;

/** A pool of threads that starts them on demand and ends them when idle. */
export type CompressThreads = {
  /**
   * Runs a task when it is the turn of its workspace. Small texts come before large ones.
   * @throws AppError `dependency_unavailable` when too much is waiting; the reason of the signal when it is aborted, which stops
   * the work.
   */
  run<Kind extends ThreadTask['kind']>(
    kind: Kind,
    input: TaskInput<Kind>,
    work: CompressWork,
  ): Promise<ThreadResult[Kind]>;
  close(): Promise<void>;
};

/** Creates a pool without threads; the first task starts the first one. */
export function createCompressThreads(counting: TokenCounting): CompressThreads {
  const maxThreads = Math.min(MAX_THREADS, availableParallelism()) + SMALL_THREADS;
  const pool = new Tinypool({
    filename: new URL('run-thread-task.ts', import.meta.url).href,
    name: 'runThreadTask',
    runtime: 'worker_threads',
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MIB },
  });
  // Tasks wait here, not in the pool, which serves them in the order in which they came.
  const slots = new FairSlots(maxThreads, { reserved: SMALL_THREADS });
  const bounds = new QueueBounds(MAX_WAITING);
  return {
    async run<Kind extends ThreadTask['kind']>(
      kind: Kind,
      input: TaskInput<Kind>,
      { workspaceId, signal }: CompressWork,
    ) {
      signal.throwIfAborted();
      const leave = bounds.enter(workspaceId, sizeBytes(input));
      if (typeof leave === 'string') throw fullError(leave);
      const start = (): Promise<ThreadResult[Kind]> => {
        leave();
        // `runThreadTask` returns the result of the task's kind.
        return runInThread(pool, { ...input, kind, counting }, signal) as Promise<ThreadResult[Kind]>;
      };
      try {
        const lane = sizeBytes(input) <= SMALL_BYTES ? 'express' : 'bulk';
        return await slots.run(start, { lane, share: workspaceId, signal });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        leave();
      }
    },
    close: () => pool.destroy(),
  };
}

/**
 * Runs a task, which may be repeated: the pool ends the thread of an aborted task, and may give it another task when both happen at
 * the same moment.
 */
async function runInThread(pool: Tinypool, task: object, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pool.run(task, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const isThreadGone = error instanceof Error && error.message === THREAD_ENDED;
      if (!isThreadGone || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function sizeBytes({ text, window }: { text?: string; window?: CompressionWindow }): number {
  return BYTES_PER_UNIT * (text ?? window?.text ?? '').length;
}

function fullError(full: 'share' | 'total'): AppError {
  const message =
    full === 'share'
      ? 'Too many texts of this workspace are waiting to be compressed; try again in a moment.'
      : 'Too many texts are being compressed; try again in a moment.';
  return new AppError('dependency_unavailable', message, { retryAfterS: RETRY_AFTER_S });
}
