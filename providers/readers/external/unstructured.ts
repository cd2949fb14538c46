import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { AppError } from '#domain/app-error.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import { NOT_STARTED } from '#providers/sandbox/sandbox-batch.ts';
import { ARCHIVE_TYPES } from '#providers/readers/shared/media-types.ts';
import { readInParts, type ReadPart } from '#providers/readers/read-in-parts.ts';
import type { ReaderPool, ReadOptions, ReadTask } from '#providers/readers/reader-pool.ts';
import { createStartLimit } from '#providers/readers/shared/start-limit.ts';
import { postDocument, unavailableError, type UnstructuredRequest } from './post-document.ts';
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

/** Requests to the server at once; `express` goes first, and within a lane workspaces take turns. */
const REQUEST_CONCURRENCY = 2;

type Sending = UnstructuredOptions & { pool: ReaderPool; slots: FairSlots; agent: Agent };

/**
 * Wraps a pool: sends documents whose reader is an Unstructured one to the server (`POST /general/v0/general`) and has
 * the wrapped pool read the responses. A document fails alone: `reader_unavailable` when no server is configured or it
 * does not respond after three attempts, `unreadable` when it rejects the document, `read_timeout`,
 * `read_output_limit`.
 */
export function withUnstructured(pool: ReaderPool, options: UnstructuredOptions): ReaderPool {
  // The time limit of a document is the only timeout; by default a client waits at most five minutes for a response to
  // begin.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const sending = { ...options, pool, agent, slots: new FairSlots(REQUEST_CONCURRENCY) };
  return {
    ...pool,
    async read(tasks, settings = {}) {
      const local = [...tasks.keys()].filter((index) => strategyOf(tasks[index]) === undefined);
      if (local.length === tasks.length) return pool.read(tasks, settings);
      const isOver = createStartLimit(settings.startWithinMs);
      const parts: ReadPart[] = [readLocally(pool, tasks, { indices: local, settings })];
      for (const [index, task] of tasks.entries()) {
        const strategy = strategyOf(task);
        if (strategy !== undefined) parts.push(readRemotely(sending, { task, index, strategy, settings, isOver }));
      }
      return readInParts(parts, { signal: settings.signal, onOutcome: settings.onOutcome });
    },
    async close() {
      await agent.destroy();
      await pool.close();
    },
  };
}

/** Of an archive the server receives the files, not the archive itself. */
function strategyOf(task: ReadTask | undefined): string | undefined {
  if (task === undefined || ARCHIVE_TYPES.includes(task.mediaType)) return undefined;
  return UNSTRUCTURED_STRATEGIES.get(task.reader);
}

/** Reads the documents that are not for the server. */
function readLocally(
  pool: ReaderPool,
  tasks: readonly ReadTask[],
  { indices, settings }: { indices: readonly number[]; settings: ReadOptions },
): ReadPart {
  const documents = indices.flatMap((index) => tasks[index] ?? []);
  return (report, signal) =>
    pool.read(documents, { ...settings, signal, onOutcome: (at, outcome) => report(indices[at] ?? at, outcome) });
}

type RemoteTask = { task: ReadTask; index: number; strategy: string; settings: ReadOptions; isOver: () => boolean };

/** Sends a document to the server, and reads the response as soon as it is there. */
function readRemotely(sending: Sending, { task, index, strategy, settings, isOver }: RemoteTask): ReadPart {
  const { pool, slots } = sending;
  return async (report, signal) => {
    const answerPath = join(sending.workFolder ?? tmpdir(), `loci-unstructured-${randomUUID()}`);
    try {
      const request = { ...sending, strategy, answerPath, signal };
      // Once the response is there, it is not left for a later call, however long it took.
      const { startWithinMs: _, ...others } = settings;
      const work = { ...others, signal };
      const send = async () => (isOver() ? NOT_STARTED : fetchElements(task, request));
      const failure = await slots.run(send, work);
      if (failure) return report(index, { ok: false, error: failure });
      const onOutcome: ReadOptions['onOutcome'] = (_index, outcome) => report(index, outcome);
      return await pool.read([{ ...task, path: answerPath }], { ...work, onOutcome });
    } finally {
      await rm(answerPath, { force: true });
    }
  };
}

/** Has the server read a document. Returns the error of the document; null when the response is in the file. */
async function fetchElements(
  task: ReadTask,
  request: Omit<UnstructuredRequest, 'url'> & { url: string | null },
): Promise<AppError | null> {
  try {
    if (request.url === null) throw unstructuredNotConfiguredError();
    await postDocument(task, { ...request, url: request.url });
    return null;
  } catch (error) {
    request.signal?.throwIfAborted();
    return error instanceof AppError ? error : unavailableError(error);
  }
}
