import { readFile, writeFile } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import type { ReadDocument } from '#domain/reader.ts';
import type { ChildTask } from '#providers/sandbox/child-task.ts';
import { createStructureChunker } from '#providers/chunkers/structure-chunker.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { resolveReader } from './index.ts';
import {
  chunksFile,
  INLINE_LENGTH,
  type SplitPlan,
  type TaskPayload,
  type TaskValue,
  textFile,
} from './task-payload.ts';
import { unpack } from '#providers/readers/archives/unpack.ts';
import type { UnpackValue } from '#providers/readers/archives/unpack-payload.ts';

const chunker = createStructureChunker();
const counters = new Map<string, Promise<(text: string) => number>>();

/**
 * Runs one task in a sandboxed process: reads a document, splits it, or both; or extracts entries of an archive. No
 * module imports this function: the sandbox child loads the file by its path (`taskModule` of `createReaderPool`).
 */
export async function runTask({ inputPath, outputPrefix, payload }: ChildTask): Promise<TaskValue | UnpackValue> {
  // The reader pool sends no other payload.
  const task = payload as TaskPayload;
  if (task.kind === 'unpack') {
    return unpack(inputPath, outputPrefix, task).catch((error: unknown) => {
      throw readError(error);
    });
  }
  if (task.kind === 'split') {
    const document = { text: await readFile(inputPath, 'utf8'), pages: task.pages, notes: {} };
    return { text: null, sizeBytes: 0, pages: [], notes: {}, ...(await split(document, task.plan, outputPrefix)) };
  }
  const document = await read(inputPath, task);
  const isSmall = document.text.length <= INLINE_LENGTH;
  if (!isSmall) await writeFile(textFile(outputPrefix), document.text);
  const chunks = task.plan ? await split(document, task.plan, outputPrefix) : { chunks: null, chunkCount: 0 };
  const { pages, notes } = document;
  return { text: isSmall ? document.text : null, sizeBytes: Buffer.byteLength(document.text), pages, notes, ...chunks };
}

async function read(path: string, task: Extract<TaskPayload, { kind: 'read' }>): Promise<ReadDocument> {
  const { mediaType, name, mainText, reader: readerName, maxTextBytes, timeoutMs } = task;
  const document = await resolveReader(readerName, mediaType)
    .read({ path, mediaType, name, mainText }, { maxTextBytes, timeoutMs })
    .catch((error: unknown) => {
      throw readError(error);
    });
  if (document.text.trim() === '') {
    throw new AppError('no_text', 'The document contains no text. Upload one with text in it.');
  }
  return document;
}

/** Converts any failure of a parser into an error that the user can act on. */
function readError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : '';
  if (error instanceof RangeError && /allocation|memory|string length|array length/i.test(message)) {
    return new AppError(
      'read_memory_limit',
      'The document is too large to be read in memory. Split it into smaller files.',
      { cause: error },
    );
  }
  if (error instanceof RangeError && /call stack/i.test(message)) {
    return new AppError(
      'unreadable',
      'The document is nested too deeply to be read. Simplify it, or upload it as plain text.',
      { cause: error },
    );
  }
  return new AppError(
    'unreadable',
    'The document is damaged, or not of the type that was detected. Save it again and upload it.',
    {
      cause: error,
    },
  );
}

async function split(document: ReadDocument, plan: SplitPlan, outputPrefix: string) {
  const countTokens = await counterFor(plan.counting);
  const chunks = chunker.split(document, plan.limits, countTokens);
  if (document.text.length <= INLINE_LENGTH) {
    const all = [...chunks];
    return { chunks: all, chunkCount: all.length };
  }
  let chunkCount = 0;
  const lines = function* (): Generator<string> {
    for (const chunk of chunks) {
      chunkCount += 1;
      yield `${JSON.stringify(chunk)}\n`;
    }
  };
  await writeFile(chunksFile(outputPrefix), lines());
  return { chunks: null, chunkCount };
}

/** Loading a tokenizer takes a second, so a process caches those it has used. */
function counterFor(counting: TokenCounting): Promise<(text: string) => number> {
  const key = JSON.stringify(counting);
  const counter = counters.get(key) ?? createTokenCounter(counting);
  counters.set(key, counter);
  return counter;
}
