/** Parses `Retry-After`, a number of seconds or a date (RFC 9110), to seconds, at most `maxS`; null when absent or invalid. */
export function parseRetryAfterS(
  header: string | undefined,
  { nowMs, maxS }: { nowMs: number; maxS: number },
): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - nowMs) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxS) : null;
}
