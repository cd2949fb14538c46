const FIRST_MS = 10 * 60_000;
const LONGEST_MS = 24 * 60 * 60_000;

/** In how many milliseconds a paused crawl looks again by itself, after so many times in vain: each look is kept in its history. */
export function lookAgainMs(looks: number): number {
  return Math.min(FIRST_MS * 2 ** looks, LONGEST_MS);
}
