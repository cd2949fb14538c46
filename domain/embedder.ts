import type { WorkShare } from './work-share.ts';

/** Identifies an embedding space. Stored with every index generation; vectors of different spaces are never mixed. */
export type EmbeddingSpace = {
  /** `local`, `openai` or `lexical`. */
  provider: EmbedderProvider;
  /** Model name as configured, e.g. `all-MiniLM-L6-v2`. */
  model: string;
  /** SHA-256 of the weights, or a version tag where there are none. */
  model_hash: string;
  dimensions: number;
};

export const EMBEDDER_PROVIDERS = ['local', 'openai', 'lexical'] as const;
export type EmbedderProvider = (typeof EMBEDDER_PROVIDERS)[number];

/** How tokens are counted for an embedder. Plain data, so that child processes can count them as well. */
export type TokenCounting = { kind: 'tokenizer'; folder: string } | { kind: 'estimate'; charactersPerToken: number };

/** Queries are embedded first, then documents of lane `express`, then those of lane `bulk`. */
export type EmbedOptions = WorkShare & { signal?: AbortSignal | undefined };

/** Turns texts into unit vectors of one embedding space. */
export interface Embedder {
  readonly space: EmbeddingSpace;
  /** Longest input, in tokens, that is embedded without truncation. */
  readonly maxTokens: number;
  readonly tokenCounting: TokenCounting;
  /**
   * Embeds texts in order, each as a unit vector of `space.dimensions` numbers.
   * `query` and `document` differ for models that need a prefix.
   * @throws AppError `embedding_rejected` when the input itself is rejected; any other error can be retried.
   */
  embed(texts: readonly string[], purpose: 'query' | 'document', options?: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Returns the name that users see, such as `local/all-MiniLM-L6-v2`. */
export function embedderName(space: EmbeddingSpace): string {
  return `${space.provider}/${space.model}`;
}
