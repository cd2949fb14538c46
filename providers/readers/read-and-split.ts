import { readFile, writeFile } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import type { ReadDocument, ReadInput } from '#domain/reader.ts';
import { createStructureChunker } from '#providers/chunkers/structure-chunker.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { resolveReader } from './index.ts';
import {
  chunksFile,
  INLINE_LENGTH,
  type ReadPayload,
  type SplitPlan,
  type TaskPayload,
  type TaskValue,
  textFile,
} from './task-payload.ts';

/** A full disk, too many open files, a disk that fails, no memory. */
const MACHINE_ERRORS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM']);

const chunker = createStructureChunker();
const counters = new Map<string, Promise<(text: string) => number>>();

/** A file, with its bytes when they are in memory. */
export type Source = Pick<ReadInput, 'path' | 'bytes'>;
type TextPayload = ReadPayload | Extract<TaskPayload, { kind: 'split' }>;

/**
 * Reads a document, splits it, or both. Texts up to `INLINE_LENGTH` and their chunks are in the result; longer ones are written to
 * files that begin with `outputPrefix`.
 * @throws AppError that says why the document cannot be read.
 */
export async function readAndSplit(
  source: Source,
  { task, outputPrefix }: { task: TextPayload; outputPrefix: string },
): Promise<TaskValue> {
  if (task.kind === 'split') {
    const text = source.bytes ? Buffer.from(source.bytes).toString() : await readFile(source.path, 'utf8');
    const chunks = await split({ text, pages: task.pages, notes: {} }, task.plan, outputPrefix);
    return { text: null, sizeBytes: 0, pages: [], notes: {}, ...chunks };
  }
  const document = await read(source, task);
  const isSmall = document.text.length <= INLINE_LENGTH;
  if (!isSmall) await writeFile(textFile(outputPrefix), document.text);
  const chunks = task.plan ? await split(document, task.plan, outputPrefix) : { chunks: null, chunkCount: 0 };
  const { pages, notes } = document;
  return { text: isSmall ? document.text : null, sizeBytes: Buffer.byteLength(document.text), pages, notes, ...chunks };
}

async function read(source: Source, task: ReadPayload): Promise<ReadDocument> {
  const { mediaType, name, mainText, reader: readerName, maxTextBytes, timeoutMs } = task;
  const document = await resolveReader(readerName, mediaType)
    .read({ ...source, mediaType, name, mainText }, { maxTextBytes, timeoutMs })
    .catch((error: unknown) => {
      throw readError(error);
    });
  if (document.text.trim() === '') {
    throw new AppError('no_text', 'The document contains no text. Upload one with text in it.');
  }
  return document;
}

/**
 * Converts any failure of a parser into an error that the user can act on. Errors of the machine stay as they are: they say nothing
 * of the document.
 */
export function readError(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (error instanceof Error && 'code' in error && MACHINE_ERRORS.has(String(error.code))) return error;
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
