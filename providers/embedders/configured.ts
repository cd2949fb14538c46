import type { Embedder } from '../../domain/embedder.ts';
import type { Embedders } from '../../operations/services.ts';
import { createEmbedder, withQueryCache, type EmbedderOptions } from './index.ts';

export type ConfiguredEmbedders = Embedders & { close(): Promise<void> };

/** Embeddings of recent queries kept, at about 2 kB each. */
const QUERY_CACHE_ENTRIES = 2_000;

/**
 * The embedders of a process: the configured one, preferred, and `lexical`, which needs nothing and so is always there.
 * @throws Error that names the setting to change, when the configured one cannot be had. Never falls back silently.
 */
export async function createEmbedders(options: EmbedderOptions): Promise<ConfiguredEmbedders> {
  const preferred = cached(await createEmbedder(options));
  const lexical =
    options.provider === 'lexical' ? preferred : cached(await createEmbedder({ ...options, provider: 'lexical' }));
  const all = [...new Set([preferred, lexical])];
  return {
    preferred,
    forSpace: ({ provider, model, model_hash, dimensions }) =>
      all.find(
        ({ space }) =>
          space.provider === provider &&
          space.model === model &&
          space.model_hash === model_hash &&
          space.dimensions === dimensions,
      ) ?? null,
    named: (provider, model) =>
      all.find(({ space }) => space.provider === provider && (model === undefined || space.model === model)) ?? null,
    close: async () => {
      await Promise.all(all.map((embedder) => embedder.close()));
    },
  };
}

function cached(embedder: Embedder): Embedder {
  return withQueryCache(embedder, { entries: QUERY_CACHE_ENTRIES });
}
