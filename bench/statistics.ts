/** Returns the percentile by nearest rank. `share` is between 0 and 1. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Runs `work` and measures its duration in milliseconds. */
export async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; elapsedMs: number }> {
  const startedMs = performance.now();
  const result = await work();
  return { result, elapsedMs: performance.now() - startedMs };
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
export const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`;
export const mebibytes = (bytes: number): string => `${Math.round(bytes / (1024 * 1024))} MiB`;

/** Formats one line of a report: the measured value and whether it meets the goal. */
export function formatVerdict(what: string, value: number, goal: { atLeast: number } | { atMost: number }): string {
  const isMet = 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
  const wanted = 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  return `${what}: ${value.toFixed(3)} (goal ${wanted}: ${isMet ? 'met' : 'MISSED'})`;
}
