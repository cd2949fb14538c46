import type { ReadDocument } from '#domain/reader.ts';

/** A piece of a document, ready to be embedded. `text === document.text.slice(start, end)`. */
export type PlannedChunk = {
  text: string;
  /** UTF-16 offsets in the extracted text. */
  start: number;
  end: number;
  /** Tokens of `indexedText(chunk)`: at least what the counter returns, at most `limits.maxTokens`. */
  tokens: number;
  /** Titles of the headings that apply to the whole chunk, outermost first, whether or not `text` starts with them. */
  headingPath: readonly string[];
  /**
   * Context that the chunk alone lacks: the headings above that are not in `text`, and the header row of a table that started in
   * an earlier chunk. Empty when nothing is missing. Embedded and indexed before `text`.
   */
  context: string;
  /** Page on which the chunk starts; null for formats without pages. */
  page: number | null;
};

/** The text of a chunk that is embedded and indexed for keyword search: its context, then its text. */
export function indexedText(chunk: Pick<PlannedChunk, 'context' | 'text'>): string {
  return chunk.context === '' ? chunk.text : `${chunk.context}\n${chunk.text}`;
}

/** The same of a chunk as it is stored. What rates or explains a result reads this text too: it is what was found. */
export function storedText({ context, content }: { context: string; content: string }): string {
  return indexedText({ context, text: content });
}

export type ChunkLimits = {
  /** Maximum tokens of a chunk; at most the limit of the embedder. */
  maxTokens: number;
  /** Target size in tokens. */
  targetTokens: number;
};

/** Splits a document. Deterministic: same document, limits and counter give the same chunks. */
export interface Chunker {
  readonly name: string;
  /** Yields chunks in document order. Every non-blank character of the text is in at least one chunk. */
  split(document: ReadDocument, limits: ChunkLimits, countTokens: (text: string) => number): Iterable<PlannedChunk>;
}
