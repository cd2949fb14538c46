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
