import type { Config } from '#config/index.ts';
import { assertNever } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { withQueryCache } from './query-cache.ts';
import { createEmbedderSet, type EmbedderSet } from './embedder-set.ts';
import { createLexicalEmbedder } from './lexical.ts';
import { ModelPlaces } from '#providers/local-models/model-places.ts';
import { presetOf } from './model-presets.ts';
import { createNamedEmbedder } from './named-embedder.ts';
import { ObservedEmbedders } from '#observability/observed-embedders.ts';

export { createLexicalEmbedder, createEmbedderSet, type EmbedderSet };

/** `cacheDir` is Loci's cache folder; models are in its folder `models`. */
export type EmbedderOptions = Config['embedder'] & { cacheDir: string };

/** Cached vectors of recent queries, of each embedder; one takes about 2 kB with 384 dimensions. */
const QUERY_CACHE_ENTRIES = 2_000;

/**
 * Creates the embedders of a process: the default one, those of `LOCI_EMBEDDERS`, both with a cache of queries, and `lexical`. Only
 * the model of the default one is loaded.
 * @throws Error that names the settings to change.
 */
export async function createEmbedders({ named, ...options }: EmbedderOptions): Promise<EmbedderSet> {
  const { cacheDir, remote } = options;
  const observed = new ObservedEmbedders();
  const places = new ModelPlaces(options.maxLoaded, (count) => observed.setLoadedModels(count));
  const created = await Promise.allSettled([
    createEmbedder(options),
    ...named.map((settings) => createNamedEmbedder({ ...settings, cacheDir, remote, places })),
  ]);
  const embedders = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    const reasons = created.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (reasons.length > 1) throw new Error(reasons.map(messageOf).join('\n'), { cause: reasons[0] });
    if (reasons.length > 0) throw reasons[0];
    const [preferred, ...further] = embedders.map((one, at) =>
      withQueryCache(observed.named(named[at - 1]?.name ?? 'default', one), { entries: QUERY_CACHE_ENTRIES }),
    );
    if (!preferred) throw new RangeError('there is no default embedder');
    return createEmbedderSet(
      preferred,
      further.map((embedder, at) => ({ name: named[at]?.name ?? '', embedder })),
      (observer) => observed.observe(observer),
    );
  } catch (error) {
    await Promise.all(embedders.map((one) => one.close()));
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Creates the default embedder. Loads only what it needs: the native runtime for `local`, unless another process embeds; the API
 * client for `openai`, which sends its first request with the first `embed`.
 * @throws Error that names the setting to change.
 */
async function createEmbedder(options: Omit<EmbedderOptions, 'named'>): Promise<Embedder> {
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
      const { maxTokens } = options.openai;
      const { model, preset } = options;
      return createOpenAIEmbedder({ baseUrl, apiKey, dimensions, maxTokens, model, preset });
    }
    case 'lexical':
      return createLexicalEmbedder();
    default:
      return assertNever(options.provider);
  }
}
