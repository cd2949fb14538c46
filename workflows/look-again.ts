export const FIRST_LOOK_MS = 10 * 60_000;
const LONGEST_MS = 24 * 60 * 60_000;

/**
 * In how many milliseconds a paused batch or crawl looks again by itself, in case a wake-up was lost, after so many times in vain: each look
 * is kept in its history, and in that of its upload.
 */
export function lookAgainMs(looks: number): number {
  return Math.min(FIRST_LOOK_MS * 2 ** looks, LONGEST_MS);
}
