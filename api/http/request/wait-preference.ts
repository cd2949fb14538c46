import type { Context } from 'koa';

/** Longest time that a request may wait for the outcome of what it started. */
const MAX_WAIT_S = 60;

/**
 * Returns the seconds that the client is ready to wait, from `Prefer: wait=N` (RFC 7240), at most `MAX_WAIT_S`; 0 when the
 * header is absent or cannot be parsed. Sets `Preference-Applied` to the applied value.
 */
export function readWaitPreference(context: Context): number {
  const [, digits] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(context.get('Prefer')) ?? [];
  const waitS = Math.min(Number(digits ?? 0), MAX_WAIT_S);
  if (waitS > 0) context.set('Preference-Applied', `wait=${waitS}`);
  return waitS;
}
