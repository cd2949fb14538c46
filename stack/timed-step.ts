/** Takes one line of progress for the person at the terminal. */
export type Log = (line: string) => void;

const TICK_MS = 10_000;

/**
 * Runs one step of starting up. What takes longer than ten seconds says every ten that it goes on; what took longer
 * than two says at the end how long.
 * @param describe a few words of progress, e.g. `12 of 140 MB`, asked for at each tick
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

/** `8.2 s` or `3 min 50 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
