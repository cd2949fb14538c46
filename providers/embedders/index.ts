import type { Config } from '#config/index.ts';
import { assertNever } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { withQueryCache } from './query-cache.ts';
import { createEmbedderSet, type EmbedderSet } from './embedder-set.ts';
import { createLexicalEmbedder } from './lexical.ts';
import { presetOf } from './model-presets.ts';

export { createLexicalEmbedder, createEmbedderSet, type EmbedderSet };

/** `cacheDir` is Loci's cache folder; models are in its folder `models`. */
export type EmbedderOptions = Config['embedder'] & { cacheDir: string };

/** Cached vectors of recent queries, about 2 kB each. */
const QUERY_CACHE_ENTRIES = 2_000;

/**
 * Creates the embedders of a process: the configured one, with a cache of queries, and `lexical`.
 * @throws Error that names the setting to change.
 */
export async function createEmbedders(options: EmbedderOptions): Promise<EmbedderSet> {
  return createEmbedderSet(withQueryCache(await createEmbedder(options), { entries: QUERY_CACHE_ENTRIES }));
}

/**
 * Creates the configured embedder. Loads only what it needs: the native runtime for `local`, unless another process embeds; the API
 * client for `openai`, which sends its first request with the first `embed`.
 * @throws Error that names the setting to change.
 */
async function createEmbedder(options: EmbedderOptions): Promise<Embedder> {
  switch (options.provider) {
    case 'local': {
      if (options.remote !== null) {
        const { createRemoteModelEmbedder } = await import('./remote-model.ts');
        return createRemoteModelEmbedder({ ...options, ...options.remote });
      }
      const { createLocalEmbedder } = await import('./local.ts');
      return createLocalEmbedder(options);
    }
    case 'openai': {
      const { createOpenAIEmbedder } = await import('./openai.ts');
      const { baseUrl, apiKey } = options.openai;
      const dimensions = options.openai.dimensions ?? presetOf(options.preset)?.dimensions ?? null;
      if (baseUrl === null || dimensions === null) {
        throw new Error(
          'LOCI_EMBEDDER=openai needs LOCI_OPENAI_BASE_URL, and LOCI_OPENAI_DIMENSIONS or LOCI_EMBEDDER_PRESET.',
        );
      }
      return createOpenAIEmbedder({ baseUrl, apiKey, dimensions, model: options.model, preset: options.preset });
    }
    case 'lexical':
      return createLexicalEmbedder();
    default:
      return assertNever(options.provider);
  }
}
