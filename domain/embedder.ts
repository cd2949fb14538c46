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
  /** Most tokens of the chunks that are made for it. Chunks that were made for another embedder may be longer: they are read in parts. */
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

/** Is told what embedders do, for metrics. */
export type EmbeddingObserver = {
  /**
   * A call of an embedder ended, after waiting for its turn. `embedder` is the name in the settings, `outcome` is `ok`, `left` when
   * nobody waited any more, or an error code. Queries from the cache are no calls.
   */
  observeEmbedding(
    call: { embedder: string; purpose: 'query' | 'document'; outcome: string },
    done: { texts: number; durationMs: number },
  ): void;
  /** How many local models are in memory, besides the default one. */
  setLoadedModels(count: number): void;
};

/** `default`, `lexical`, or the name of an embedder in the settings. */
export type NamedEmbedder = { readonly name: string; readonly embedder: Embedder };

/** Returns the name that users see, such as `local/all-MiniLM-L6-v2`. */
export function embedderName(space: EmbeddingSpace): string {
  return `${space.provider}/${space.model}`;
}

/** Says which embedder of a collection is missing, and what to do. `instead`: what else than configuring it helps. */
export function missingEmbedder(
  space: EmbeddingSpace,
  { all, instead }: { all: readonly NamedEmbedder[]; instead: string },
): string {
  const { provider, model, dimensions } = space;
  const alike = all.find(({ embedder: { space: one } }) => one.provider === provider && one.model === model);
  const present = alike?.embedder.space.dimensions;
  const difference =
    present === dimensions ? 'other weights, or with another preset or other prefixes' : `${present} dimensions`;
  return (
    `The collection is embedded with ${embedderName(space)} (${dimensions} dimensions), which is not configured on this server` +
    `${alike ? `; its embedder "${alike.name}" is this model with ${difference}` : ''}. ` +
    `Configure it (LOCI_EMBEDDER, LOCI_EMBEDDERS), ${instead}.`
  );
}
