import pRetry from 'p-retry';
import { delay } from './delay.ts';
import { LociError } from './loci-error.ts';

export type RetryOptions = {
  /** Number of times that a failed request is sent again. */
  retries: number;
  /** True if repeating the request has no further effect: reads, and requests with an `Idempotency-Key`. */
  isRepeatable: boolean;
  signal?: AbortSignal | null | undefined;
};

const MIN_WAIT_MS = 300;
const MAX_WAIT_MS = 10_000;
/** With a longer `Retry-After`, the request is not retried. */
const MAX_RETRY_AFTER_MS = 120_000;
/** Statuses of a service, or of its proxy, that is overloaded or starting. */
const TRANSIENT_STATUSES: ReadonlySet<number | null> = new Set([408, 502, 503, 504]);

/**
 * Retries a request while the service is unavailable or busy, or still processes an earlier copy of the request. The pauses
 * grow, with jitter, and are never shorter than the `Retry-After` of the response.
 * @throws LociError of the last attempt; the reason of the signal if it is aborted
 */
export async function withRetries<Result>(attempt: () => Promise<Result>, how: RetryOptions): Promise<Result> {
  const { retries, signal } = how;
  return pRetry(attempt, {
    retries,
    minTimeout: MIN_WAIT_MS,
    maxTimeout: MAX_WAIT_MS,
    factor: 2,
    randomize: true,
    ...(signal ? { signal } : {}),
    shouldRetry: ({ error }) => error instanceof LociError && isRetryable(error, how.isRepeatable),
    async onFailedAttempt({ error, retriesLeft }) {
      if (retriesLeft === 0 || !(error instanceof LociError) || !isRetryable(error, how.isRepeatable)) return;
      if (error.retryAfterMs !== null) await delay(error.retryAfterMs, signal ?? undefined);
    },
  });
}

function isRetryable(error: LociError, isRepeatable: boolean): boolean {
  if ((error.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) return false;
  // These requests were rejected before they had any effect.
  if (error.status === 429 || wasNeverSent(error)) return true;
  if (!isRepeatable) return false;
  return error.code === 'unreachable' || error.code === 'idempotency_conflict' || TRANSIENT_STATUSES.has(error.status);
}

function wasNeverSent(error: LociError): boolean {
  return error.code === 'unreachable' && networkCodeOf(error.cause) === 'ECONNREFUSED';
}

/** Returns the system error code of a failed `fetch`, such as `ECONNREFUSED`; null if there is none. */
export function networkCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  // An AggregateError contains one error per address of the host.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return networkCodeOf(inner);
}
