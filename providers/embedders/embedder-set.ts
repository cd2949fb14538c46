import type { Embedder, EmbedderProvider, EmbeddingSpace } from '#domain/embedder.ts';
import { createLexicalEmbedder } from './lexical.ts';

/** The embedders of one process. */
export type EmbedderSet = {
  /** The configured one, for collections that name none. */
  readonly preferred: Embedder;
  /** The embedder that made vectors of this space, or null when it is not configured here. */
  forSpace(space: EmbeddingSpace): Embedder | null;
  /** An embedder by provider (and model), or null. */
  find(provider: EmbedderProvider, model?: string): Embedder | null;
  close(): Promise<void>;
};

/** The configured embedder and, always, `lexical`, which needs nothing. */
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

/** Vectors of two spaces may be compared only when everything that shapes them is equal. */
function isSameSpace(one: EmbeddingSpace, other: EmbeddingSpace): boolean {
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.model_hash === other.model_hash &&
    one.dimensions === other.dimensions
  );
}
