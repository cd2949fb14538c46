import type { ReadDocument } from './reader.ts';

/** A piece of a document, ready to be embedded. `text === document.text.slice(start, end)`. */
export type PlannedChunk = {
  text: string;
  /** UTF-16 offsets in the extracted text. */
  start: number;
  end: number;
  tokens: number;
  /** Titles of the headings above, outermost first. */
  headingPath: readonly string[];
  /** Page on which the chunk starts; null for formats without pages. */
  page: number | null;
};

export type ChunkLimits = {
  /** Most tokens in a chunk; at most what the embedder reads. */
  maxTokens: number;
  /** Size aimed at, in tokens. */
  targetTokens: number;
};

/** Splits a document. Deterministic: same document, limits and counter give the same chunks. */
export interface Chunker {
  readonly name: string;
  /** Yields chunks in document order. Every non-blank character of the text is in at least one chunk. */
  split(document: ReadDocument, limits: ChunkLimits, countTokens: (text: string) => number): Iterable<PlannedChunk>;
}
