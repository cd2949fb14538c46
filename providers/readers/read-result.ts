import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { AppError } from '#domain/app-error.ts';
import type { PlannedChunk } from '#domain/chunking/chunker.ts';
import type { PageStart, ReadDocument } from '#domain/reader.ts';
import { Chunk, chunksFile, textFile, type TaskValue } from './task-payload.ts';

export type ReadResult = {
  /** UTF-8 bytes of the text. */
  sizeBytes: number;
  pages: readonly PageStart[];
  notes: ReadDocument['notes'];
  /** Streams the text. */
  text(): AsyncIterable<Uint8Array>;
} & SplitResult;

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

/** The text and the chunks of a value are in it, or in files that begin with `outputPrefix`. */
export function readResult(value: TaskValue, outputPrefix: string): ReadResult {
  const { sizeBytes, pages, notes, chunkCount, text, chunks } = value;
  return {
    sizeBytes,
    pages,
    notes: Object.fromEntries(
      Object.entries(notes).map(([name, note]) => [name, typeof note === 'string' ? storable(note) : note]),
    ),
    chunkCount,
    async *text() {
      if (text !== null) yield Buffer.from(text);
      else yield* await readStream(textFile(outputPrefix));
    },
    async *chunks() {
      if (chunks !== null) yield* chunks.map(storableChunk);
      else if (chunkCount > 0) {
        const lines = createInterface({ input: await readStream(chunksFile(outputPrefix)), crlfDelay: Infinity });
        for await (const line of lines) yield storableChunk(Chunk.parse(JSON.parse(line)));
      }
    },
  };
}

function storableChunk(chunk: PlannedChunk): PlannedChunk {
  return {
    ...chunk,
    text: storable(chunk.text),
    context: storable(chunk.context),
    headingPath: chunk.headingPath.map(storable),
  };
}

/**
 * Postgres stores neither NUL, which a decoded title may have, nor half of a character, which is left where a title was cut. The
 * length stays the same, because offsets count on it.
 */
function storable(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed();
}

/** Does not follow links: the file was written by a process that has read hostile input. */
export async function readStream(path: string) {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return file.createReadStream();
}
