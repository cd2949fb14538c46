import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import { LociError } from './loci-error.ts';

export type Retrying = {
  /** How often a failed request is sent again. */
  retries: number;
  /** Whether sending it twice has its effect once: reads, and requests with an `Idempotency-Key`. */
  isRepeatable: boolean;
  signal?: AbortSignal | null | undefined;
};

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
/** A service that wants to be left alone for longer is not waited for. */
const LONGEST_RETRY_AFTER_MS = 120_000;
/** Answers of a service, or of a proxy before it, that is overloaded or starting. */
const TRANSIENT_STATUSES: ReadonlySet<number | null> = new Set([408, 502, 503, 504]);

/**
 * Sends a request again while that can help: the service is away or too busy, or an earlier copy of the request still
 * runs there. Waits grow, with jitter, and are never shorter than the `Retry-After` of the answer.
 * @throws LociError of the last attempt; the signal's reason when it was aborted
 */
export async function retrying<Result>(attempt: () => Promise<Result>, how: Retrying): Promise<Result> {
  const { retries, signal } = how;
  return pRetry(attempt, {
    retries,
    minTimeout: FIRST_WAIT_MS,
    maxTimeout: LONGEST_WAIT_MS,
    factor: 2,
    randomize: true,
    ...(signal ? { signal } : {}),
    shouldRetry: ({ error }) => error instanceof LociError && canHelp(error, how.isRepeatable),
    async onFailedAttempt({ error, retriesLeft }) {
      if (retriesLeft === 0 || !(error instanceof LociError) || !canHelp(error, how.isRepeatable)) return;
      if (error.retryAfterMs !== null) await delay(error.retryAfterMs, undefined, signal ? { signal } : {});
    },
  });
}

function canHelp(error: LociError, isRepeatable: boolean): boolean {
  if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false;
  // These were refused before they had any effect.
  if (error.status === 429 || wasNeverSent(error)) return true;
  if (!isRepeatable) return false;
  return error.code === 'unreachable' || error.code === 'idempotency_conflict' || TRANSIENT_STATUSES.has(error.status);
}

function wasNeverSent(error: LociError): boolean {
  return error.code === 'unreachable' && networkCodeOf(error.cause) === 'ECONNREFUSED';
}

/** The system's code of a failure of `fetch`, e.g. `ECONNREFUSED`; null where it has none. */
export function networkCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  // Where a name has several addresses, each of them failed.
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return networkCodeOf(inner);
}
