import { parseRetryAfterS } from './retry-after.ts';

/** A server that asks for more is asked again after this time. */
const MAX_RETRY_AFTER_S = 600;

/** Statuses that reject what was sent, or its form. */
const REJECTED: ReadonlySet<number> = new Set([400, 413, 422]);
const MISCONFIGURED: ReadonlySet<number> = new Set([401, 403, 404]);

/**
 * Why a model server did not do what it was asked: because of what was sent, because of settings of this one, or for reasons of its
 * own. `retryDelayS`: what it asked to wait.
 */
export type ServerRefusal = { reason: 'rejected' | 'misconfigured' | 'unavailable'; retryDelayS: number | null };

/** Reads the status of a model server, and its header `Retry-After`. */
export function readRefusal(
  { status, retryAfter }: { status: number; retryAfter: string | undefined },
  nowMs: number,
): ServerRefusal {
  if (REJECTED.has(status)) return { reason: 'rejected', retryDelayS: null };
  if (MISCONFIGURED.has(status)) return { reason: 'misconfigured', retryDelayS: null };
  // 0 asks for nothing.
  return {
    reason: 'unavailable',
    retryDelayS: parseRetryAfterS(retryAfter, { nowMs, maxS: MAX_RETRY_AFTER_S }) || null,
  };
}
