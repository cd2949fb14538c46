import { createWriteStream, openAsBlob } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fetch, FormData, type Agent, type Response } from 'undici';
import { AppError } from '#domain/app-error.ts';
import type { ReadTask } from '#providers/readers/reader-pool.ts';

const MAX_ATTEMPTS = 3;
const INITIAL_BACKOFF_MS = 1_000;

/** A request to the server, and where to write its response. */
export type UnstructuredRequest = {
  url: string;
  apiKey: string | null;
  agent: Agent;
  strategy: string;
  /** For one attempt. */
  timeoutMs: number;
  maxAnswerBytes: number;
  answerPath: string;
  signal: AbortSignal | undefined;
};

/**
 * Sends a document to an Unstructured server (`POST /general/v0/general`) and writes the response to a file, with up to three
 * attempts.
 * @throws AppError `reader_unavailable`, `unreadable`, `read_timeout`, `read_output_limit`; another error for a failed connection.
 */
export async function postDocument(task: ReadTask, request: UnstructuredRequest): Promise<void> {
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
  { url, apiKey, agent, strategy, timeoutMs, maxAnswerBytes, answerPath, signal }: UnstructuredRequest,
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

export function unavailableError(cause: unknown): AppError {
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
