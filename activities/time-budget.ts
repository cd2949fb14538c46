import type { StepContext } from './step.ts';

/** A step works this long at most; then its workflow comes again, and others get their turn. */
const SLICE_MS = 30_000;

/** Repeats work while there is some, for at most half a minute; true when it came to its end. */
export async function whileTimeLeft(step: StepContext, hasMore: () => Promise<boolean>): Promise<boolean> {
  const deadlineMs = performance.now() + SLICE_MS;
  while (await hasMore()) {
    step.signal.throwIfAborted();
    if (performance.now() > deadlineMs) return false;
  }
  return true;
}
