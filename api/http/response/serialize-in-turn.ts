import { setTimeout as delay } from 'node:timers/promises';

/** Writing JSON for longer than this makes the next response wait. */
const NOTICEABLE_MS = 5;

/** `pause`: the wait after large work, until which no response is written. */
const turn: { pause: Promise<void> | null } = { pause: null };

/**
 * Runs synchronous work on a response. After work that took noticeably long, the next waits for as long as it took, so that large
 * responses together use the event loop half of the time, and the small steps of other requests come in between.
 */
export async function serializeInTurn<Result>(work: () => Result): Promise<Result> {
  // After each pause one response goes on, and may begin the next pause.
  while (turn.pause !== null) await turn.pause;
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    const tookMs = performance.now() - startedAt;
    if (tookMs > NOTICEABLE_MS) turn.pause = delay(tookMs).then(() => void (turn.pause = null));
  }
}
