import type { ReadDocument } from '#domain/reader.ts';

/** A piece of a document, ready to be embedded. `text === document.text.slice(start, end)`. */
export type PlannedChunk = {
  text: string;
  /** UTF-16 offsets in the extracted text. */
  start: number;
  end: number;
  /** Tokens of `indexedText(chunk)`, never fewer than the counter says; at most `limits.maxTokens`. */
  tokens: number;
  /** Titles of the headings that hold for the whole chunk, outermost first, whether or not `text` begins with them. */
  headingPath: readonly string[];
  /**
   * What a reader of this chunk alone would miss: the headings above that are not in `text`, and for a table that began
   * in an earlier chunk its header row. Empty when nothing is missing. Goes before `text` in what is embedded and indexed.
   */
  context: string;
  /** Page on which the chunk starts; null for formats without pages. */
  page: number | null;
};

/** What is embedded and keyword-indexed for a chunk: its context, then its text. */
export function indexedText(chunk: Pick<PlannedChunk, 'context' | 'text'>): string {
  return chunk.context === '' ? chunk.text : `${chunk.context}\n${chunk.text}`;
}

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
