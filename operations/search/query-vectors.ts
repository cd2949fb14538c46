import { AppError } from '#domain/app-error.ts';
import { embedderName, type EmbeddingSpace } from '#domain/embedder.ts';
import type { Services } from '#operations/services.ts';
import { embedQuery, type QueryText } from './embed-query.ts';

/** How long a search waits for one of several embedders. */
const LIMIT_MS = 10_000;

/** Returns the vector of a query in a space. */
export type VectorOf = (space: EmbeddingSpace) => Promise<Float32Array>;

/**
 * Returns a function that embeds a query once for each space. `hasOthers`: there are results without it, which an embedder that does not
 * answer must not keep back.
 * @throws AppError of `embedQuery`; `dependency_unavailable` when the embedder is late.
 */
export function queryVectors(
  services: Pick<Services, 'embedders'>,
  text: QueryText,
  { hasOthers, limitMs = LIMIT_MS }: { hasOthers: boolean; limitMs?: number },
): VectorOf {
  const vectors = new Map<string, Promise<Float32Array>>();
  return async (space) => {
    const key = spaceKey(space);
    const known = vectors.get(key);
    if (known) return known;
    const vector = hasOthers ? embedInTime(services, space, { text, limitMs }) : embedQuery(services, space, text);
    vectors.set(key, vector);
    return vector;
  };
}

export function spaceKey({ provider, model, model_hash, dimensions }: EmbeddingSpace): string {
  return JSON.stringify([provider, model, model_hash, dimensions]);
}

async function embedInTime(
  services: Pick<Services, 'embedders'>,
  space: EmbeddingSpace,
  { text, limitMs }: { text: QueryText; limitMs: number },
): Promise<Float32Array> {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The embedder ${embedderName(space)} did not answer within ${limitMs / 1_000} s; try again shortly.`;
    late.reject(new AppError('dependency_unavailable', message, { retryAfterS: 5 }));
    stop.abort(new Error('The search no longer waits.'));
  }, limitMs);
  const signal = text.signal ? AbortSignal.any([text.signal, stop.signal]) : stop.signal;
  try {
    return await Promise.race([embedQuery(services, space, { ...text, signal }), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
