/** Largest first, in seconds. */
const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns how long something takes or waits, in its largest unit: `12 seconds`, `3 minutes`. */
export function formatDuration(seconds: number): string {
  const [unit, length] = STEPS.find(([, stepS]) => seconds >= stepS) ?? (['second', 1] as const);
  const style = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat('en', style).format(Math.floor(seconds / length));
}
