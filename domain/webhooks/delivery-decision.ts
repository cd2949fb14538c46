import { assertNever } from '#domain/app-error.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay before the first, second … attempt: 75 h 35 min 5 s in all, so that a receiver may be down over a weekend. */
export const WEBHOOK_ATTEMPT_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** The longest `Retry-After` of a receiver that is honoured. */
export const MAX_RETRY_AFTER_S = 24 * 60 * 60;
/** A delay varies by up to this share in both directions, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
/** The last attempt before the age limit is due this long before it, so that it can be claimed in time. */
const LAST_ATTEMPT_LEAD_MS = 5 * SECOND_MS;
/** Deliveries that end together do not make their last attempts together, and none of them so early that another one follows. */
const MAX_LAST_SPREAD_MS = 4 * SECOND_MS;
/** No last attempt is made sooner after the one before. */
const MIN_LAST_DELAY_MS = 5 * SECOND_MS;

/** Result of sending a delivery once. */
export type ReceiverResponse = {
  /** Null when no HTTP response arrived. */
  status: number | null;
  /** From `Retry-After`. */
  retryAfterS: number | null;
};

export type DeliveryDecision =
  | { kind: 'delivered' }
  /** `gone`: the receiver answered 410. `exhausted`: that was the last attempt. `expired`: it is too old for another one. */
  | { kind: 'failed'; reason: 'gone' | 'exhausted' | 'expired' }
  | { kind: 'again'; waitMs: number };

export type DeliveryProgress = {
  /** Attempts that count, this one included. */
  attempts: number;
  attemptDelaysMs: readonly number[];
  /** Time since the delivery was queued. */
  ageMs: number;
  /** Null for no limit other than the number of attempts. */
  maxAgeMs: number | null;
  /** The pause of a receiver that is broken, whose failures do not count; null for a working one. */
  brokenPauseMs: number | null;
  /** In [0, 1). */
  random: number;
};

/**
 * Decides what happens after an attempt: 2xx is success, 410 ends the delivery, everything else is retried until the delays are
 * used up. The last attempt before the age limit is made early enough. While its receiver is broken a delivery is given up for its
 * age only.
 */
export function decideDelivery(response: ReceiverResponse, progress: DeliveryProgress): DeliveryDecision {
  const { status } = response;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'failed', reason: 'gone' };
  const { ageMs, maxAgeMs, brokenPauseMs } = progress;
  const requestedMs = Math.min(response.retryAfterS ?? 0, MAX_RETRY_AFTER_S) * SECOND_MS;
  if (brokenPauseMs !== null) {
    if (maxAgeMs !== null && ageMs > maxAgeMs) return { kind: 'failed', reason: 'expired' };
    return { kind: 'again', waitMs: Math.max(brokenPauseMs, requestedMs) };
  }
  const scheduledMs = progress.attemptDelaysMs[progress.attempts];
  if (scheduledMs === undefined) return { kind: 'failed', reason: 'exhausted' };
  const jitteredMs = scheduledMs * (1 - JITTER + 2 * JITTER * progress.random);
  const waitMs = Math.round(Math.max(jitteredMs, requestedMs));
  if (maxAgeMs === null || ageMs + waitMs <= maxAgeMs) return { kind: 'again', waitMs };
  return decideLastAttempt({ leftMs: maxAgeMs - ageMs, requestedMs, random: progress.random });
}

/** Decides about a delivery that will be too old at the scheduled time: one attempt is made just before the age limit. */
function decideLastAttempt(last: { leftMs: number; requestedMs: number; random: number }): DeliveryDecision {
  const { leftMs, requestedMs, random } = last;
  const lastMs = leftMs - LAST_ATTEMPT_LEAD_MS - random * Math.min(JITTER * leftMs, MAX_LAST_SPREAD_MS);
  if (requestedMs > leftMs || lastMs < MIN_LAST_DELAY_MS) return { kind: 'failed', reason: 'expired' };
  return { kind: 'again', waitMs: Math.round(Math.max(lastMs, requestedMs)) };
}

/**
 * Whether a response shows a working receiver: any status below 500 does, even when it refuses this delivery, except 429, which
 * asks for fewer of them.
 */
export function isReceiverHealthy({ status }: ReceiverResponse): boolean {
  return status !== null && status < 500 && status !== 429;
}

/** Explains in the log why a delivery is not delivered yet; null once it is. */
export function describeDecision(
  decision: DeliveryDecision,
  { attempts, isBroken }: { attempts: number; isBroken: boolean },
): string | null {
  switch (decision.kind) {
    case 'delivered':
      return null;
    case 'again':
      return isBroken
        ? 'The receiver does not work. Its deliveries wait in order until it does.'
        : `Attempt ${attempts} failed; it will be retried.`;
    case 'failed':
      return describeFailure(decision.reason, attempts);
    default:
      return assertNever(decision);
  }
}

function describeFailure(reason: 'gone' | 'exhausted' | 'expired', attempts: number): string {
  if (reason === 'gone') return 'The receiver answered 410 (Gone), so the delivery was given up.';
  if (reason === 'expired') return 'The delivery became too old for another attempt. Redeliver it if it still matters.';
  return `All ${attempts} attempts failed. Redeliver it when the receiver works again.`;
}
