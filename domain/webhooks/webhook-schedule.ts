import { assertNever } from '#domain/app-error.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Before the first, second … attempt: 75 h 35 min 5 s in all, so that a receiver may be away over a weekend. */
export const WEBHOOK_WAITS_MS: readonly number[] = [
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

/** A receiver that asks for more patience gets as much. */
export const MAX_RETRY_AFTER_S = 24 * 60 * 60;
/** The share of a wait by which it is shorter or longer, so that what failed together does not come back together. */
const JITTER = 0.1;

/** What came of one send. */
export type ReceiverAnswer = {
  /** Null without an answer in HTTP. */
  status: number | null;
  /** From `Retry-After`. */
  retryAfterS: number | null;
};

export type DeliveryDecision =
  | { kind: 'delivered' }
  /** `gone`: the receiver wants nothing any more. `exhausted`: that was the last attempt. */
  | { kind: 'failed'; reason: 'gone' | 'exhausted' }
  | { kind: 'again'; waitMs: number };

/**
 * What follows from an answer: 2xx is success, 410 the end, everything else is tried again until the waits are used up.
 * `attempts` counts those made, this one included; `random` is in [0, 1).
 */
export function decideDelivery(
  answer: ReceiverAnswer,
  { attempts, waitsMs, random }: { attempts: number; waitsMs: readonly number[]; random: number },
): DeliveryDecision {
  const { status } = answer;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'failed', reason: 'gone' };
  const scheduledMs = waitsMs[attempts];
  if (scheduledMs === undefined) return { kind: 'failed', reason: 'exhausted' };
  const jitteredMs = scheduledMs * (1 - JITTER + 2 * JITTER * random);
  const askedMs = Math.min(answer.retryAfterS ?? 0, MAX_RETRY_AFTER_S) * SECOND_MS;
  return { kind: 'again', waitMs: Math.round(Math.max(jitteredMs, askedMs)) };
}

/** What an answer says about the receiver as a whole: one that answers is well, whatever it says to this delivery. */
export function isReceiverWell({ status }: ReceiverAnswer): boolean {
  return status !== null && status < 500;
}

/** Why a delivery is not delivered, for its log. */
export function describeDecision(decision: DeliveryDecision, attempts: number): string | null {
  switch (decision.kind) {
    case 'delivered':
      return null;
    case 'again':
      return `Attempt ${attempts} did not succeed; another one follows.`;
    case 'failed':
      return decision.reason === 'gone'
        ? 'The receiver answered 410: it wants nothing any more.'
        : `None of ${attempts} attempts succeeded; redeliver it when the receiver is well.`;
    default:
      return assertNever(decision);
  }
}
