import type { Config } from '#config/index.ts';
import { assertNever } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { withQueryCache } from './query-cache.ts';
import { createEmbedderSet, type EmbedderSet } from './embedder-set.ts';
import { createLexicalEmbedder } from './lexical.ts';

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
 * Creates the configured embedder. Loads only what it needs: the native runtime for `local`, the API client for `openai`, which
 * sends its first request with the first `embed`.
 * @throws Error that names the setting to change.
 */
async function createEmbedder(options: EmbedderOptions): Promise<Embedder> {
  switch (options.provider) {
    case 'local': {
      const { createLocalEmbedder } = await import('./local.ts');
      return createLocalEmbedder(options);
    }
    case 'openai': {
      const { createOpenAIEmbedder } = await import('./openai.ts');
      const { baseUrl, apiKey, dimensions } = options.openai;
      if (baseUrl === null || dimensions === null) {
        throw new Error('LOCI_EMBEDDER=openai needs LOCI_OPENAI_BASE_URL and LOCI_OPENAI_DIMENSIONS.');
      }
      return createOpenAIEmbedder({ baseUrl, apiKey, dimensions, model: options.model });
    }
    case 'lexical':
      return createLexicalEmbedder();
    default:
      return assertNever(options.provider);
  }
}
