/** Ways of compressing text. `ai_compress` asks a chat model, `extractive` keeps sentences, `dedupe` loses nothing. */
export const COMPRESSION_STRATEGIES = ['ai_compress', 'extractive', 'dedupe'] as const;
export type CompressionStrategy = (typeof COMPRESSION_STRATEGIES)[number];

/** A part of a text, and how much may be left of it. */
export type CompressionWindow = {
  text: string;
  /** Most tokens of the result; `dedupe` loses nothing for it. */
  budgetTokens: number;
  /** What the result has to answer; null where nothing is asked. */
  query: string | null;
  /** False for a part of a longer text. */
  isWhole: boolean;
};

/** What became of a window. */
export type CompressedWindow = {
  text: string;
  tokens: number;
  /** What was done, which is something else than what was asked where a model failed. */
  used: CompressionStrategy;
  /** Sentences left out; null where nobody can say. */
  droppedSentences: number | null;
  /** Parts of the window's text that were left out, as `[from, to)` in characters; null where nobody can say. */
  droppedSpans: [number, number][] | null;
  /** Repeats that were folded. */
  folds: number;
};

/** One way of compressing. */
export interface Compressor {
  readonly strategy: CompressionStrategy;
  /** Most characters that it takes at once. */
  readonly windowCharacters: number;
  /** What stands between the results of two windows. */
  readonly joint: string;
  /** @throws the reason of `signal` when that is aborted; the work ends then. */
  compress(window: CompressionWindow, signal: AbortSignal): Promise<CompressedWindow>;
}

/** What a look at a window tells without compressing it. */
export type WindowSurvey = { tokens: number; characters: number };

/** How much each sentence of a window has to do with a query, and how many tokens it has. */
export type SentenceWeights = { scores: Float64Array; tokens: Uint32Array };

/** The ways there are in this process; they work in threads of their own. */
export interface Compressors {
  /** The way that is used where this one is asked for; another one where it needs a chat model and there is none. */
  forStrategy(strategy: CompressionStrategy): Compressor;
  survey(text: string, signal: AbortSignal): Promise<WindowSurvey>;
  weigh(text: string, query: string, signal: AbortSignal): Promise<SentenceWeights>;
  close(): Promise<void>;
}
