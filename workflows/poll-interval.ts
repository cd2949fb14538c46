export const FIRST_POLL_INTERVAL_MS = 10 * 60_000;
const MAX_POLL_INTERVAL_MS = 24 * 60 * 60_000;

/**
 * Milliseconds until a paused batch or crawl reads its rows again without being signalled, in case a wake-up was lost. The
 * interval doubles with each poll that changed nothing, because every poll adds events to its history and to that of its parent.
 */
export function pollIntervalMs(pollsWithoutChange: number): number {
  return Math.min(FIRST_POLL_INTERVAL_MS * 2 ** pollsWithoutChange, MAX_POLL_INTERVAL_MS);
}
