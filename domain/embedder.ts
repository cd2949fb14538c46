/** What tells one embedding space from another. Stored with every index generation; mixing spaces is refused. */
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

/** How tokens are counted for an embedder; plain data, so that a child process can count them too. */
export type TokenCounting = { kind: 'tokenizer'; folder: string } | { kind: 'estimate'; charactersPerToken: number };

/** Turns texts into unit vectors of one embedding space. */
export interface Embedder {
  readonly space: EmbeddingSpace;
  /** Longest input in tokens that is embedded without being cut. */
  readonly maxTokens: number;
  readonly tokenCounting: TokenCounting;
  /**
   * Embeds texts, in their order, each into a unit vector of `space.dimensions` numbers.
   * `query` and `document` differ for models that want a prefix.
   * @throws AppError `embedding_rejected` when the input itself is refused; any other error is worth a retry.
   */
  embed(texts: readonly string[], purpose: 'query' | 'document', signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The name shown to users, e.g. `local/all-MiniLM-L6-v2`. */
export function embedderName(space: EmbeddingSpace): string {
  return `${space.provider}/${space.model}`;
}
