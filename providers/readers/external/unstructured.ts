import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Agent, fetch, FormData, type Response } from 'undici';
import { AppError } from '#domain/app-error.ts';
import { NOT_STARTED } from '#providers/sandbox/sandbox-batch.ts';
import { ZIP } from '#providers/readers/shared/media-types.ts';
import type { Outcome, OutcomeBatch, ReadResult, ReadTask, ReaderPool } from '#providers/readers/reader-pool.ts';
import { unstructuredNotConfiguredError, UNSTRUCTURED_STRATEGIES } from './unstructured-reader.ts';

export type UnstructuredOptions = {
  /** Base URL of the server; null when none is configured. */
  url: string | null;
  apiKey: string | null;
  /** For one document. */
  timeoutMs: number;
  /** Maximum size of one response. */
  maxAnswerBytes: number;
  /** Folder for responses until they are read; default: the system's folder for temporary files. */
  workFolder?: string;
};

const REQUEST_CONCURRENCY = 2;
const MAX_ATTEMPTS = 3;
const INITIAL_BACKOFF_MS = 1_000;

/**
 * Wraps a pool: sends documents whose reader is an Unstructured one to the server (`POST /general/v0/general`) and has
 * the wrapped pool read the responses. A document fails alone: `reader_unavailable` when no server is configured or it
 * does not respond after three attempts, `unreadable` when it rejects the document, `read_timeout`,
 * `read_output_limit`.
 */
export function withUnstructured(pool: ReaderPool, options: UnstructuredOptions): ReaderPool {
  const limit = pLimit(REQUEST_CONCURRENCY);
  // The time limit of a document is the only timeout; by default a client waits at most five minutes for a response to
  // begin.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return {
    ...pool,
    async read(tasks, settings = {}) {
      if (!tasks.some((task) => strategyOf(task) !== undefined)) return pool.read(tasks, settings);
      const folder = await mkdtemp(join(options.workFolder ?? tmpdir(), 'loci-unstructured-'));
      const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
      const isOver = createTimer(settings.startWithinMs);
      const prepare = async (task: ReadTask, index: number): Promise<ReadTask | AppError> => {
        const strategy = strategyOf(task);
        if (strategy === undefined) return task;
        const exchange = {
          ...options,
          agent,
          strategy,
          answerPath: join(folder, String(index)),
          signal: settings.signal,
        };
        return limit(() => (isOver() ? NOT_STARTED : fetchElements(task, exchange)));
      };
      try {
        const prepared = await Promise.all(tasks.map(prepare));
        const batch = await pool.read(
          prepared.filter((task): task is ReadTask => !(task instanceof AppError)),
          settings,
        );
        return joinOutcomes(prepared, batch, remove);
      } catch (error) {
        await remove();
        throw error;
      }
    },
    async close() {
      await agent.destroy();
      await pool.close();
    },
  };
}

/** Of an archive the server receives the files, not the archive itself. */
function strategyOf({ reader, mediaType }: ReadTask): string | undefined {
  return mediaType === ZIP ? undefined : UNSTRUCTURED_STRATEGIES.get(reader);
}

/** Creates a function that tells whether `ms` have passed since its first call. */
function createTimer(ms: number | undefined): () => boolean {
  let start: number | null = null;
  return () => {
    start ??= performance.now();
    return ms !== undefined && performance.now() - start > ms;
  };
}

/** Merges the outcomes of the pool with the errors of documents that never reached it, in the order of the tasks. */
function joinOutcomes(
  prepared: readonly (ReadTask | AppError)[],
  batch: OutcomeBatch<ReadResult>,
  remove: () => Promise<void>,
): OutcomeBatch<ReadResult> {
  const read = batch.outcomes.values();
  const outcomes = prepared.map((task): Outcome<ReadResult> => {
    if (task instanceof AppError) return { ok: false, error: task };
    const { value } = read.next();
    return value ?? { ok: false, error: new AppError('internal', 'The document was not read. Try again.') };
  });
  return {
    outcomes,
    async [Symbol.asyncDispose]() {
      await batch[Symbol.asyncDispose]();
      await remove();
    },
  };
}

type Exchange = UnstructuredOptions & {
  agent: Agent;
  strategy: string;
  answerPath: string;
  signal: AbortSignal | undefined;
};

/** The task with the response of the server in place of the document. */
async function fetchElements(task: ReadTask, exchange: Exchange): Promise<ReadTask | AppError> {
  try {
    if (exchange.url === null) throw unstructuredNotConfiguredError();
    await postWithRetries(task, { ...exchange, url: exchange.url });
    return { ...task, path: exchange.answerPath };
  } catch (error) {
    exchange.signal?.throwIfAborted();
    return error instanceof AppError ? error : unavailableError(error);
  }
}

type Request = Exchange & { url: string };

async function postWithRetries(task: ReadTask, request: Request): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await post(task, request);
      return;
    } catch (error) {
      const isPassing = !(error instanceof AppError) || error.code === 'reader_unavailable';
      if (!isPassing || attempt === MAX_ATTEMPTS || request.signal?.aborted) throw error;
      await wait(INITIAL_BACKOFF_MS * 2 ** (attempt - 1), undefined, { signal: request.signal });
    }
  }
}

async function post(
  task: ReadTask,
  { url, apiKey, agent, strategy, timeoutMs, maxAnswerBytes, answerPath, signal }: Request,
): Promise<void> {
  const form = new FormData();
  form.set('files', await openAsBlob(task.path, { type: task.mediaType }), task.name === '' ? 'document' : task.name);
  form.set('strategy', strategy);
  form.set('output_format', 'application/json');
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(new URL('general/v0/general', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      dispatcher: agent,
      body: form,
      headers: { accept: 'application/json', ...(apiKey === null ? {} : { 'unstructured-api-key': apiKey }) },
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    if (!response.ok || !response.body) throw await responseError(response);
    await pipeline(
      Readable.fromWeb(response.body),
      limitBytes(maxAnswerBytes),
      createWriteStream(answerPath, { mode: 0o600 }),
    );
  } catch (error) {
    if (deadline.aborted && !(error instanceof AppError)) throw timeoutError(timeoutMs, error);
    throw error;
  }
}

function limitBytes(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? answerTooLargeError(maxBytes) : null, chunk);
    },
  });
}

/** Maps the status of a response to an error. The body is not reported: it may quote the document. */
async function responseError(response: Response): Promise<AppError> {
  await response.body?.cancel();
  const { status } = response;
  if (status === 401 || status === 403) {
    return new AppError(
      'reader_unavailable',
      'The Unstructured server rejected the API key. Ask the operator to check LOCI_UNSTRUCTURED_API_KEY.',
    );
  }
  if (status === 408 || status === 429 || status >= 500) return unavailableError(new Error(`status ${status}`));
  return new AppError(
    'unreadable',
    `The Unstructured server rejected the document (status ${status}). Use the reader native.`,
  );
}

function unavailableError(cause: unknown): AppError {
  const message =
    'The Unstructured server could not be reached or failed. Retry the content later, or use the reader native.';
  return new AppError('reader_unavailable', message, { cause });
}

function timeoutError(timeoutMs: number, cause: unknown): AppError {
  return new AppError(
    'read_timeout',
    `The Unstructured server took longer than ${timeoutMs / 1000} s. Split the document, or use the reader unstructured_fast or native.`,
    { cause },
  );
}

function answerTooLargeError(maxBytes: number): AppError {
  const limit = `${Math.floor(maxBytes / 1024 / 1024)} MiB`;
  return new AppError(
    'read_output_limit',
    `The Unstructured server responded with more than ${limit}. Split the document into smaller ones.`,
  );
}
