import { LRUCache } from 'lru-cache';
import type { Embedder, EmbedOptions } from '#domain/embedder.ts';

export type QueryCacheOptions = {
  /** Most query vectors in the cache; one of 384 dimensions takes about 2 kB. */
  entries: number;
};

/** Longer queries are not cached: their keys would take too much memory. */
const MAX_QUERY_CHARACTERS = 2_000;

/**
 * Adds a cache of query vectors to an embedder; documents are not cached. Concurrent calls with the same query share one
 * computation, which waits in the turn of the first of them and continues as long as one of them waits. Failures are not cached.
 */
export function withQueryCache(embedder: Embedder, { entries }: QueryCacheOptions): Embedder {
  const { space } = embedder;
  const spaceKey = JSON.stringify([space.provider, space.model, space.model_hash, space.dimensions]);
  const known = new LRUCache<string, Float32Array>({ max: entries });
  const running = new Map<string, SharedQuery>();

  const embedQuery = async (text: string, { share, signal }: EmbedOptions): Promise<Float32Array> => {
    const key = `${spaceKey}\n${text}`;
    const hit = known.get(key);
    if (hit) return hit.slice();
    let shared = running.get(key);
    if (!shared) {
      const started = startQuery(embedder, text, share);
      shared = started;
      running.set(key, started);
      started.vector
        .then((vector) => known.set(key, vector))
        .catch(() => undefined)
        .finally(() => running.get(key) === started && running.delete(key));
    }
    return (await waitFor(shared, signal, () => running.delete(key))).slice();
  };

  return {
    space,
    maxTokens: embedder.maxTokens,
    tokenCounting: embedder.tokenCounting,
    async embed(texts, purpose, request = {}) {
      request.signal?.throwIfAborted();
      if (purpose === 'document' || texts.some((text) => text.length > MAX_QUERY_CHARACTERS)) {
        return embedder.embed(texts, purpose, request);
      }
      return Promise.all(texts.map((text) => embedQuery(text, request)));
    },
    close: () => embedder.close(),
  };
}

/** A computation that several calls share. */
type SharedQuery = { vector: Promise<Float32Array>; waiting: number; stop: AbortController };

function startQuery(embedder: Embedder, text: string, share: string | undefined): SharedQuery {
  const stop = new AbortController();
  const vector = embedder
    .embed([text], 'query', { ...(share === undefined ? {} : { share }), signal: stop.signal })
    .then(([first]) => {
      if (!first) throw new RangeError('the embedder returned no vector for a query');
      return first;
    });
  return { vector, waiting: 0, stop };
}

/** Waits for a shared computation. The last caller that aborts stops it. */
async function waitFor(
  shared: SharedQuery,
  signal: AbortSignal | undefined,
  forget: () => void,
): Promise<Float32Array> {
  shared.waiting++;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([shared.vector, aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
    shared.waiting--;
    if (shared.waiting === 0 && signal?.aborted) {
      forget();
      shared.stop.abort(signal.reason);
    }
  }
}
