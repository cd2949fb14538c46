/** Seconds from `Retry-After`, given as a number or a date (RFC 9110), at most `maxS`; null without, or for what is neither. */
export function parseRetryAfterS(
  header: string | undefined,
  { nowMs, maxS }: { nowMs: number; maxS: number },
): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - nowMs) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxS) : null;
}
