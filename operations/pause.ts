import { setImmediate } from 'node:timers/promises';

/** How long one request may hold the event loop. */
const MAX_HELD_MS = 5;

/**
 * Returns what is awaited between pieces of work: it lets other requests go on once the pieces since the last pause have taken a
 * few milliseconds, and throws the reason of the signal once it is aborted.
 */
export function createPause(signal?: AbortSignal): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - sinceMs < MAX_HELD_MS) return;
    await setImmediate();
    sinceMs = performance.now();
  };
}
