import type { Context } from 'koa';

/** Longest a request may wait for the outcome of what it started. */
export const MAX_WAIT_S = 60;

/**
 * Seconds the client would wait for the outcome, from `Prefer: wait=N` (RFC 7240), at most `MAX_WAIT_S`; 0 without one or
 * with one that cannot be read. Says in `Preference-Applied` what is done.
 */
export function applyWaitPreference(context: Context): number {
  const [, digits] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(context.get('Prefer')) ?? [];
  const waitS = Math.min(Number(digits ?? 0), MAX_WAIT_S);
  if (waitS > 0) context.set('Preference-Applied', `wait=${waitS}`);
  return waitS;
}
