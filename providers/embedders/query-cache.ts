import { LRUCache } from 'lru-cache';
import type { Embedder } from '#domain/embedder.ts';

export type QueryCacheOptions = {
  /** Most query vectors kept; one of 384 dimensions takes about 2 kB. */
  entries: number;
};

/** Queries longer than this are not worth their key. */
const LONGEST_KEY = 2_000;

/**
 * Remembers the vectors of queries; documents pass through. Concurrent calls with the same query share one computation,
 * which goes on as long as one of them still waits. A failure is not remembered.
 */
export function withQueryCache(embedder: Embedder, options: QueryCacheOptions): Embedder {
  const { space } = embedder;
  const spaceKey = JSON.stringify([space.provider, space.model, space.model_hash, space.dimensions]);
  const known = new LRUCache<string, Float32Array>({ max: options.entries });
  const running = new Map<string, SharedQuery>();

  const embedQuery = async (text: string, signal: AbortSignal | undefined): Promise<Float32Array> => {
    const key = `${spaceKey}\n${text}`;
    const hit = known.get(key);
    if (hit) return hit.slice();
    let shared = running.get(key);
    if (!shared) {
      const started = startQuery(embedder, text);
      shared = started;
      running.set(key, started);
      started.vector
        .then((vector) => known.set(key, vector))
        .catch(() => undefined)
        .finally(() => running.get(key) === started && running.delete(key));
    }
    return (await join(shared, signal, () => running.delete(key))).slice();
  };

  return {
    space,
    maxTokens: embedder.maxTokens,
    tokenCounting: embedder.tokenCounting,
    async embed(texts, purpose, signal) {
      signal?.throwIfAborted();
      if (purpose === 'document' || texts.some((text) => text.length > LONGEST_KEY)) {
        return embedder.embed(texts, purpose, signal);
      }
      return Promise.all(texts.map((text) => embedQuery(text, signal)));
    },
    close: () => embedder.close(),
  };
}

/** A computation that several calls wait for. */
type SharedQuery = { vector: Promise<Float32Array>; waiting: number; stop: AbortController };

function startQuery(embedder: Embedder, text: string): SharedQuery {
  const stop = new AbortController();
  const vector = embedder.embed([text], 'query', stop.signal).then(([first]) => {
    if (!first) throw new RangeError('the embedder gave no vector for a query');
    return first;
  });
  return { vector, waiting: 0, stop };
}

/** Waits for a shared computation; the last one to give up stops it. */
async function join(shared: SharedQuery, signal: AbortSignal | undefined, forget: () => void): Promise<Float32Array> {
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
