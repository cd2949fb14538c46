import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '#domain/app-error.ts';
import type { PlannedChunk } from '#domain/chunking/chunker.ts';
import type { PageStart, ReadDocument, ReadInput } from '#domain/reader.ts';
import type { WorkShare } from '#domain/work-share.ts';
import {
  type SandboxOptions,
  type SandboxOutcome,
  SandboxPool,
  type SandboxRunOptions,
  type SandboxTask,
} from '#providers/sandbox/sandbox-pool.ts';
import { cpuBudget } from './cpu-budget.ts';
import { Chunk, chunksFile, type SplitPlan, type TaskPayload, TaskValue, textFile } from './task-payload.ts';
import {
  entryFile,
  type UnpackedEntry,
  UnpackValue,
  type UnpackPayload,
} from '#providers/readers/archives/unpack-payload.ts';

export type { SplitPlan } from './task-payload.ts';
export type { UnpackedEntry } from '#providers/readers/archives/unpack-payload.ts';

export type ReaderPoolOptions = Omit<SandboxOptions, 'taskModule'> & {
  /** Maximum UTF-8 bytes of text of a document. */
  maxTextBytes: number;
};

export type ReadTask = ReadInput & { /** A value of the `reader` field. */ reader: string };
/** `path`: a file with extracted text in UTF-8, as `ReadResult.text()` returned it. */
export type SplitTask = { path: string; pages: readonly PageStart[] };

/** Which entries to extract from an archive or a message. */
export type UnpackTask = Omit<UnpackPayload, 'kind' | 'maxTextBytes'> & { path: string };

export type UnpackResult = {
  entries: readonly UnpackedEntry[];
  /** Index of the entry to continue with; null at the end. */
  next: number | null;
  /** Streams the bytes of an entry that was not rejected. */
  open(part: UnpackedEntry): AsyncIterable<Uint8Array>;
};

export type ReadResult = {
  /** UTF-8 bytes of the text. */
  sizeBytes: number;
  pages: readonly PageStart[];
  notes: ReadDocument['notes'];
  /** Streams the text. */
  text(): AsyncIterable<Uint8Array>;
} & SplitResult;

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

export type SplitResult = {
  /** 0 without a plan. */
  chunkCount: number;
  /** Streams the chunks in document order; none without a plan. */
  chunks(): AsyncIterable<PlannedChunk>;
};

/** `error` is `dependency_unavailable` when the document was not started because the time for it was over. */
export type Outcome<Result> = { ok: true; result: Result } | { ok: false; error: AppError };

/**
 * Outcomes in the order of the tasks. Dispose (`await using`) after consuming all results: this deletes their files.
 */
export type OutcomeBatch<Result> = AsyncDisposable & { outcomes: readonly Outcome<Result>[] };

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
    read(tasks, { plan, onOutcome, ...work } = {}) {
      const payload = ({ reader, mediaType, name, mainText = false }: ReadTask): TaskPayload => ({
        kind: 'read',
        reader,
        mediaType,
        name,
        mainText,
        maxTextBytes,
        timeoutMs,
        plan: plan ?? null,
      });
      const documents = tasks.map((task) => ({
        inputPath: task.path,
        payload: payload(task),
        cpuBudgetMs: cpuBudget(task, timeoutMs),
      }));
      return run(sandbox, documents, { ...work, toResult: resultOf, onOutcome });
    },
    split(tasks, { plan, ...work }) {
      const payload = ({ pages }: SplitTask): TaskPayload => ({ kind: 'split', pages, plan });
      const cpuBudgetMs = cpuBudget({ mediaType: 'text/plain' }, timeoutMs);
      const texts = tasks.map((task) => ({ inputPath: task.path, payload: payload(task), cpuBudgetMs }));
      return run(sandbox, texts, { ...work, toResult: resultOf });
    },
    unpack({ path, ...task }, work) {
      const payload: TaskPayload = { kind: 'unpack', ...task, maxTextBytes };
      const cpuBudgetMs = cpuBudget(task, timeoutMs);
      return run(sandbox, [{ inputPath: path, payload, cpuBudgetMs }], { ...work, toResult: unpackedOf });
    },
    close: () => sandbox.close(),
  };
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

function resultOf(value: unknown, outputPrefix: string): ReadResult {
  const { sizeBytes, pages, notes, chunkCount, text, chunks } = TaskValue.parse(value);
  return {
    sizeBytes,
    pages,
    notes,
    chunkCount,
    async *text() {
      if (text !== null) yield Buffer.from(text);
      else yield* await readStream(textFile(outputPrefix));
    },
    async *chunks() {
      if (chunks !== null) yield* chunks;
      else if (chunkCount > 0) {
        const lines = createInterface({ input: await readStream(chunksFile(outputPrefix)), crlfDelay: Infinity });
        for await (const line of lines) yield Chunk.parse(JSON.parse(line));
      }
    },
  };
}

/** Does not follow links: the file was written by a process that has read hostile input. */
async function readStream(path: string) {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return file.createReadStream();
}
