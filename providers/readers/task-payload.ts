import { z } from 'zod';
import type { ChunkLimits } from '#domain/chunking/chunker.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import type { PageStart } from '#domain/reader.ts';
import type { UnpackPayload } from '#providers/readers/archives/unpack-payload.ts';

/** How to split documents: sizes in tokens, and how tokens are counted. */
export type SplitPlan = { limits: ChunkLimits; counting: TokenCounting };

export type ReadPayload = {
  kind: 'read';
  reader: string;
  mediaType: string;
  name: string;
  mainText: boolean;
  maxTextBytes: number;
  timeoutMs: number;
  plan: SplitPlan | null;
};

export type TaskPayload = ReadPayload | { kind: 'split'; pages: readonly PageStart[]; plan: SplitPlan } | UnpackPayload;

/**
 * Texts and chunks up to this length (UTF-16 code units of the text) are sent in the message; longer ones through
 * files.
 */
export const INLINE_LENGTH = 16 * 1024;

const TEXT_ENDING = '.txt';
const CHUNKS_ENDING = '.ndjson';

export function textFile(outputPrefix: string): string {
  return outputPrefix + TEXT_ENDING;
}

/** A file with one chunk per line. */
export function chunksFile(outputPrefix: string): string {
  return outputPrefix + CHUNKS_ENDING;
}

/** The endings of the files that a task may have written for its value, which is not validated yet. */
export function taskFiles(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...('text' in value && value.text === null ? [TEXT_ENDING] : []),
    ...('chunks' in value && value.chunks === null ? [CHUNKS_ENDING] : []),
  ];
}

export const Chunk = z.object({
  text: z.string(),
  start: z.number(),
  end: z.number(),
  tokens: z.number(),
  headingPath: z.array(z.string()).readonly(),
  context: z.string(),
  page: z.number().nullable(),
});

/** The result of a task. It comes from a process that has read hostile input, so the parent validates it. */
export const TaskValue = z.object({
  /** Null when it is in a file. */
  text: z.string().nullable(),
  sizeBytes: z.number(),
  pages: z.array(z.object({ page: z.number(), start: z.number() })).readonly(),
  notes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).readonly(),
  /** Null when they are in a file, or were not requested. */
  chunks: z.array(Chunk).nullable(),
  chunkCount: z.number(),
});
export type TaskValue = z.infer<typeof TaskValue>;
