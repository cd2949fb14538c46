import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { PageStart, ReadInput } from '#domain/reader.ts';
import type { WorkShare } from '#domain/work-share.ts';
import {
  type SandboxOptions,
  type SandboxOutcome,
  SandboxPool,
  type SandboxRunOptions,
  type SandboxTask,
} from '#providers/sandbox/sandbox-pool.ts';
import { cpuBudget } from './cpu-budget.ts';
import type { Source } from './read-and-split.ts';
import { readInParts, type ReadPart } from './read-in-parts.ts';
import {
  readResult,
  readStream,
  type Outcome,
  type OutcomeBatch,
  type ReadResult,
  type SplitResult,
} from './read-result.ts';
import { SmallTexts } from './small-texts.ts';
import { taskFiles, TaskValue, type ReadPayload, type SplitPlan, type TaskPayload } from './task-payload.ts';
import {
  entryFile,
  type UnpackedEntry,
  unpackedFiles,
  UnpackValue,
  type UnpackPayload,
} from '#providers/readers/archives/unpack-payload.ts';

export type { Outcome, OutcomeBatch, ReadResult } from './read-result.ts';
export type { SplitPlan } from './task-payload.ts';
export type { UnpackedEntry } from '#providers/readers/archives/unpack-payload.ts';

export type ReaderPoolOptions = Omit<SandboxOptions, 'taskModule'> & {
  /** Maximum UTF-8 bytes of text of a document. */
  maxTextBytes: number;
};

export type ReadTask = ReadInput & { /** A value of the `reader` field. */ reader: string };
/** The input: a file with extracted text in UTF-8, as `ReadResult.text()` returned it. */
export type SplitTask = Source & { pages: readonly PageStart[] };

/** Which entries to extract from an archive or a message. */
export type UnpackTask = Omit<UnpackPayload, 'kind' | 'maxTextBytes'> & Source;

export type UnpackResult = {
  entries: readonly UnpackedEntry[];
  /** Index of the entry to continue with; null at the end. */
  next: number | null;
  /** Streams the bytes of an entry that was not rejected. */
  open(part: UnpackedEntry): AsyncIterable<Uint8Array>;
};

/** Aborting the signal ends the child processes that work for the call at once. */
export type WorkOptions = WorkShare & { signal?: AbortSignal };

export type ReadOptions = WorkOptions & {
  plan?: SplitPlan;
  startWithinMs?: number;
  /**
   * Called once for each task, as soon as its outcome is known, so that a document need not wait for the others of the call. Its
   * files exist until the batch is disposed, or the call is rejected.
   */
  onOutcome?: (index: number, outcome: Outcome<ReadResult>) => void;
};

/**
 * Reads and splits documents in sandboxed child processes. A document that fails has an outcome with an AppError
 * (`unreadable`, `encrypted`, `no_text`, `read_timeout`, `read_memory_limit`, `read_output_limit`, `reader_crashed` …);
 * thrown errors are faults of the installation, or the reason of the signal. Pass many small documents in one call.
 */
export interface ReaderPool {
  /**
   * Reads documents; with a plan also splits them, in the same round trip. When `startWithinMs` have passed since the
   * first document was started, no further one is started.
   */
  read(tasks: readonly ReadTask[], options?: ReadOptions): Promise<OutcomeBatch<ReadResult>>;
  /** Splits texts that were read before. */
  split(tasks: readonly SplitTask[], options: WorkOptions & { plan: SplitPlan }): Promise<OutcomeBatch<SplitResult>>;
  /** Extracts the next files of an archive or a message. */
  unpack(task: UnpackTask, options: WorkOptions): Promise<OutcomeBatch<UnpackResult>>;
  close(): Promise<void>;
}

/** Creates a pool that starts no process before the first task. Close it at the end. */
export function createReaderPool({ maxTextBytes, ...options }: ReaderPoolOptions): ReaderPool {
  const { timeoutMs } = options;
  const sandbox = new SandboxPool({ ...options, taskModule: join(import.meta.dirname, 'run-task.ts') });
  return {
    read: createRead(sandbox, { maxTextBytes, timeoutMs }),
    split(tasks, { plan, ...work }) {
      const payload = ({ pages }: SplitTask): TaskPayload => ({ kind: 'split', pages, plan });
      const cpuBudgetMs = cpuBudget({ mediaType: 'text/plain' }, timeoutMs);
      const limits = { cpuBudgetMs, filesOf: taskFiles };
      const texts = tasks.map((task) => ({ ...inputOf(task), payload: payload(task), ...limits }));
      return run(sandbox, texts, { ...work, toResult: toReadResult });
    },
    unpack({ path, bytes, ...task }, work) {
      const payload: TaskPayload = { kind: 'unpack', ...task, maxTextBytes };
      const cpuBudgetMs = cpuBudget(task, timeoutMs);
      return run(sandbox, [{ ...inputOf({ path, bytes }), payload, cpuBudgetMs, filesOf: unpackedFiles }], {
        ...work,
        toResult: unpackedOf,
      });
    },
    close: () => sandbox.close(),
  };
}

/** Small plain texts are read in this process, all other documents in child processes. */
function createRead(
  sandbox: SandboxPool,
  { maxTextBytes, timeoutMs }: { maxTextBytes: number; timeoutMs: number },
): ReaderPool['read'] {
  const smallTexts = new SmallTexts();
  return async (tasks, { plan, onOutcome, ...work } = {}) => {
    work.signal?.throwIfAborted();
    const payloads = tasks.map(({ reader, mediaType, name, mainText = false }): ReadPayload => {
      return { kind: 'read', reader, mediaType, name, mainText, maxTextBytes, timeoutMs, plan: plan ?? null };
    });
    const small = await smallTexts.find(tasks, payloads);
    const isSmall = new Set(small.map(({ index }) => index));
    const documents = [...tasks.entries()].flatMap(([index, task]) => {
      if (isSmall.has(index)) return [];
      const limits = { cpuBudgetMs: cpuBudget(task, timeoutMs), filesOf: taskFiles };
      return { index, ...inputOf(task), payload: payloads[index], ...limits };
    });
    const readSmall: ReadPart = (report, signal) => smallTexts.read(small, { ...work, signal, report });
    const readOthers: ReadPart = (report, signal) => {
      const onEach = (at: number, outcome: Outcome<ReadResult>): void => report(documents[at]?.index ?? at, outcome);
      return run(sandbox, documents, { ...work, signal, toResult: toReadResult, onOutcome: onEach });
    };
    const parts = [...(small.length > 0 ? [readSmall] : []), ...(documents.length > 0 ? [readOthers] : [])];
    return readInParts(parts, { signal: work.signal, onOutcome });
  };
}

function inputOf({ path, bytes }: Source): Pick<SandboxTask, 'inputPath' | 'inputBytes'> {
  return { inputPath: path, inputBytes: bytes };
}

type RunOptions<Result> = Omit<SandboxRunOptions, 'onOutcome'> & {
  toResult: (value: unknown, outputPrefix: string) => Result;
  onOutcome?: ((index: number, outcome: Outcome<Result>) => void) | undefined;
};

async function run<Result>(
  sandbox: SandboxPool,
  tasks: readonly SandboxTask[],
  { toResult, onOutcome, ...work }: RunOptions<Result>,
): Promise<OutcomeBatch<Result>> {
  const outcomes: Outcome<Result>[] = [];
  const batch = await sandbox.run(tasks, {
    ...work,
    onOutcome(index, sandboxOutcome) {
      const outcome = toOutcome(sandboxOutcome, toResult);
      outcomes[index] = outcome;
      onOutcome?.(index, outcome);
    },
  });
  return { outcomes, [Symbol.asyncDispose]: () => batch[Symbol.asyncDispose]() };
}

/** @throws an error that is a fault of the installation; it rejects the call. */
function toOutcome<Result>(
  outcome: SandboxOutcome,
  toResult: (value: unknown, outputPrefix: string) => Result,
): Outcome<Result> {
  if (outcome.ok) return { ok: true, result: toResult(outcome.value, outcome.outputPrefix) };
  if (outcome.error instanceof AppError) return { ok: false, error: outcome.error };
  throw outcome.error;
}

function unpackedOf(value: unknown, outputPrefix: string): UnpackResult {
  return {
    ...UnpackValue.parse(value),
    async *open({ index }) {
      yield* await readStream(entryFile(outputPrefix, index));
    },
  };
}

function toReadResult(value: unknown, outputPrefix: string): ReadResult {
  return readResult(TaskValue.parse(value), outputPrefix);
}
