import type { Embedder, EmbedderProvider, EmbeddingSpace } from '#domain/embedder.ts';
import { createLexicalEmbedder } from './lexical.ts';

/** The embedders of one process. */
export type EmbedderSet = {
  /** The configured embedder; the default of new collections. */
  readonly preferred: Embedder;
  /** Returns the embedder of a vector space, or null when it is not configured here. */
  forSpace(space: EmbeddingSpace): Embedder | null;
  /** Returns the embedder of a provider (and model), or null. */
  find(provider: EmbedderProvider, model?: string): Embedder | null;
  close(): Promise<void>;
};

/** Creates a set of the configured embedder and `lexical`, which is always available. */
export function createEmbedderSet(preferred: Embedder): EmbedderSet {
  const all = preferred.space.provider === 'lexical' ? [preferred] : [preferred, createLexicalEmbedder()];
  return {
    preferred,
    forSpace: (space) => all.find((embedder) => isSameSpace(embedder.space, space)) ?? null,
    find: (provider, model) =>
      all.find(({ space }) => space.provider === provider && (model === undefined || space.model === model)) ?? null,
    async close() {
      await Promise.all(all.map((embedder) => embedder.close()));
    },
  };
}

/** True when vectors of both spaces may be compared: everything that affects them must be equal. */
function isSameSpace(one: EmbeddingSpace, other: EmbeddingSpace): boolean {
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.model_hash === other.model_hash &&
    one.dimensions === other.dimensions
  );
}
