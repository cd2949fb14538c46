/** How text is compressed: `ai_compress` has a chat model rewrite it, `extractive` keeps sentences, `dedupe` is lossless. */
export const COMPRESSION_STRATEGIES = ['ai_compress', 'extractive', 'dedupe'] as const;
export type CompressionStrategy = (typeof COMPRESSION_STRATEGIES)[number];

/** A part of a text, and how much of it may be kept. */
export type CompressionWindow = {
  text: string;
  /** Most tokens of the result; `dedupe` ignores it. */
  budgetTokens: number;
  /** The question that the result must help to answer; null without one. */
  query: string | null;
  /** False for a part of a longer text. */
  isWhole: boolean;
};

/** Result of compressing a window. */
export type CompressedWindow = {
  text: string;
  tokens: number;
  /** The strategy that was used; differs from the requested one when the chat model failed. */
  used: CompressionStrategy;
  /** Sentences left out; null when unknown, as after rewriting. */
  droppedSentences: number | null;
  /** Parts of the window's text that were left out, as `[from, to)` in characters; null when unknown. */
  droppedSpans: [number, number][] | null;
  /** Repetitions that were folded. */
  folds: number;
};

/** On whose behalf a text is compressed: workspaces take turns. Aborting the signal stops the work. */
export type CompressWork = { workspaceId: string; signal: AbortSignal };

/** An implementation of a strategy. */
export interface Compressor {
  readonly strategy: CompressionStrategy;
  /** Largest window, in characters. */
  readonly windowCharacters: number;
  /** Separator between the results of two windows. */
  readonly joint: string;
  /** @throws the reason of the signal when it is aborted. */
  compress(window: CompressionWindow, work: CompressWork): Promise<CompressedWindow>;
}

/** Size of a window before compression. */
export type WindowSize = { tokens: number; characters: number };

/**
 * The sentences of a window that are relevant to a query, most relevant first: their scores, and the tokens of each together with
 * those before it.
 */
export type SentenceWeights = { scores: Float64Array; tokens: Uint32Array };

/** The compressors of this process. They work in threads of their own. */
export interface Compressors {
  /** Returns the compressor for a strategy; `extractive` when the strategy needs a chat model and none is configured. */
  forStrategy(strategy: CompressionStrategy): Compressor;
  measure(text: string, work: CompressWork): Promise<WindowSize>;
  weigh(text: string, query: string, work: CompressWork): Promise<SentenceWeights>;
  close(): Promise<void>;
}
