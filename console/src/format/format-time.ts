const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });
/** Largest first, in milliseconds. */
const STEPS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Returns the time in the viewer's zone, to the second. */
export function formatTime(time: Date): string {
  return FULL.format(time);
}

/** Returns how much time has passed since a time, in whole units: `3 minutes ago`, `1 day ago` for 47 hours. */
export function formatTimeAgo(time: Date, now: Date): string {
  const awayMs = time.getTime() - now.getTime();
  const step = STEPS.find(([, lengthMs]) => Math.abs(awayMs) >= lengthMs);
  return step === undefined ? 'just now' : RELATIVE.format(Math.trunc(awayMs / step[1]), step[0]);
}
