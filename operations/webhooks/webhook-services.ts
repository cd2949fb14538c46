import type { CircuitLimits } from '#domain/webhooks/receiver-circuit.ts';
import type { Egress } from '#security/egress/egress.ts';
import type { ClaimLimits } from '#store/webhooks/webhook-queue.ts';
import type { Services } from '#operations/services.ts';

export type WebhookSettings = {
  /** Delay before each attempt, the first included; as many as there are attempts. */
  attemptDelaysMs: readonly number[];
  /** Limit of one attempt, from its start to the status line of the response. */
  timeoutMs: number;
  /** How long finished deliveries stay in the log. */
  logRetentionDays: number;
};

/** What sending webhooks requires in addition to the services of all operations. */
export type WebhookServices = Services & { egress: Egress; webhooks: WebhookSettings };

export type ReceiverLimits = CircuitLimits &
  ClaimLimits & {
    /** Deliveries to a broken receiver end at this age. */
    maxOutageMs: number;
  };

const MIN_PAUSE_MS = 50;
/** For schedules of one attempt. */
const DEFAULT_PAUSE_MS = 5_000;
/** A receiver that works again is noticed within this time, whatever the schedule of attempts. */
const LONGEST_PAUSE_MS = 60 * 60 * 1_000;
const MIN_OUTAGE_MS = 60 * 60 * 1_000;
const PAUSE_GROWTH = 60;

/**
 * Returns the limits for every receiver. The first pause is the delay before a second attempt, 5 s by default; the longest one is
 * 60 times as long, 5 minutes by default; neither is longer than an hour. A delivery to a broken receiver is kept for as long as its
 * attempts would take, 75 h by default.
 */
export function receiverLimits({ timeoutMs, attemptDelaysMs }: WebhookSettings): ReceiverLimits {
  const pauseMs = Math.min(Math.max(attemptDelaysMs[1] ?? DEFAULT_PAUSE_MS, MIN_PAUSE_MS), LONGEST_PAUSE_MS);
  const scheduleMs = attemptDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  return {
    leaseMs: timeoutMs + 10_000,
    maxSlots: 4,
    failuresToOpen: 5,
    pauseMs,
    maxPauseMs: Math.min(PAUSE_GROWTH * pauseMs, LONGEST_PAUSE_MS),
    maxOutageMs: Math.max(scheduleMs, MIN_OUTAGE_MS),
  };
}
