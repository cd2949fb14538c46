import type { Config } from '#config/index.ts';
import type { Reranker } from '#domain/reranker.ts';

/**
 * Creates the configured reranker; null without one. A server is connected to with the first search that asks for it, a local model is
 * loaded now. `cacheDir` is Loci's cache folder.
 * @throws Error that names the setting to change when there is no usable local model.
 */
export async function createReranker(options: Config['reranker'], cacheDir: string): Promise<Reranker | null> {
  const { baseUrl, folder, apiKey, model, threads, timeoutMs, passageCharacters } = options;
  if (folder !== null) {
    const { createLocalReranker } = await import('./local-reranker.ts');
    return createLocalReranker({ folder, threads, timeoutMs, passageCharacters, cacheDir });
  }
  if (baseUrl === null) return null;
  const { createServerReranker } = await import('./server-reranker.ts');
  return createServerReranker({ baseUrl, apiKey, model, timeoutMs, passageCharacters });
}
