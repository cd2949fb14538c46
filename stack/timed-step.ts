/** Prints one line of progress. */
export type Log = (line: string) => void;

const TICK_MS = 10_000;

/**
 * Runs one step of the startup and logs its title. Steps of more than ten seconds log their progress every ten seconds;
 * steps of more than two seconds log their duration at the end.
 * @param step.describe returns a short progress text, such as `12 of 140 MB`; called at each tick
 */
export async function timedStep<T>(
  step: { log: Log; title: string; describe?: () => string },
  run: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const elapsed = () => formatDuration(performance.now() - startedAt);
  step.log(step.title);
  const timer = setInterval(() => {
    const detail = step.describe?.() ?? '';
    step.log(`  … ${elapsed()}${detail === '' ? '' : `, ${detail}`}`);
  }, TICK_MS);
  try {
    const result = await run();
    if (performance.now() - startedAt > 2_000) step.log(`  done in ${elapsed()}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Formats a duration as `8.2 s` or `3 min 50 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
