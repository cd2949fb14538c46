import type { StepContext } from './step.ts';

/**
 * An activity works at most this long. Then it returns its cursor and its workflow calls it again, so that others get their turn.
 */
const TIME_SLICE_MS = 10_000;

export type TimeSlice = { isOver(): boolean; leftMs(): number };

/** Starts a time slice. */
export function startTimeSlice(durationMs = TIME_SLICE_MS): TimeSlice {
  const endMs = performance.now() + durationMs;
  return { isOver: () => performance.now() >= endMs, leftMs: () => Math.max(0, endMs - performance.now()) };
}

/**
 * Calls `work` until it returns false or the time slice is over. Returns true when `work` returned false: nothing is left to do.
 */
export async function repeatWithinTimeSlice(step: StepContext, work: () => Promise<boolean>): Promise<boolean> {
  const timeSlice = startTimeSlice();
  while (await work()) {
    step.signal.throwIfAborted();
    if (timeSlice.isOver()) return false;
  }
  return true;
}
