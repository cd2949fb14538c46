/**
 * Delays of the passes that remove something from the index again, counted from one to the next, for a day. The first pass removes
 * nearly everything; the later ones remove what a process that had stalled wrote afterwards.
 */
export const REMOVAL_DELAYS_MS = [15, 60, 300, 1_800, 21_600, 86_400].map((seconds) => seconds * 1_000);
