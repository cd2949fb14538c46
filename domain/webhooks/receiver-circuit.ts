/**
 * `closed`: deliveries are sent as they become due. `open`: the receiver is broken; a workflow sends one of them at a time, a
 * probe, and the others wait. `half_open`: it was broken and nothing waits for it; the next delivery decides.
 */
export type CircuitState = 'closed' | 'open' | 'half_open';

export type ReceiverCircuit = {
  state: CircuitState;
  /** Failed attempts in a row, repeated ones of the same delivery counted once. */
  failures: number;
  last_failed_id: string | null;
  /** Deliveries that may be sent at the same time. */
  slots: number;
};

export type CircuitLimits = {
  maxSlots: number;
  /** So many failures in a row open the circuit. */
  failuresToOpen: number;
  /** The pause before the first probe; each failed probe doubles it, up to `maxPauseMs`. */
  pauseMs: number;
  maxPauseMs: number;
};

/** The end of an attempt, as far as it concerns the receiver. `random` is in [0, 1). */
export type AttemptEnd = {
  deliveryId: string;
  isHealthy: boolean;
  /** The workflow of an open circuit sent it. */
  isProbe: boolean;
  retryAfterS: number | null;
  random: number;
};

export type CircuitDecision = {
  circuit: ReceiverCircuit;
  change: 'none' | 'opens' | 'closes';
  /** Nothing is sent to the receiver for this long; null for no pause. */
  pauseMs: number | null;
  /** Nothing is wrong with the receiver any more: its row can be deleted. */
  isForgotten: boolean;
};

/** The longest `Retry-After` that delays everything at a receiver; the delivery that got the answer may wait longer. */
const MAX_RECEIVER_PAUSE_MS = 60 * 60 * 1_000;
/** A pause varies by up to this share, so that receivers that broke together are not probed together. */
const JITTER = 0.1;

/** A receiver without a row: everything is well. */
export function newCircuit({ maxSlots }: CircuitLimits): ReceiverCircuit {
  return { state: 'closed', failures: 0, last_failed_id: null, slots: maxSlots };
}

/**
 * Decides what the end of an attempt means for its receiver (circuit breaker, Nygard, "Release It!"). A success closes the
 * circuit; the receiver starts again with one delivery at a time, and each success adds one (slow start of TCP, RFC 5681).
 * Failures in a row open it. Retries of one delivery alone never do: the receiver may be well and refuse this message.
 */
export function decideCircuit(before: ReceiverCircuit, end: AttemptEnd, limits: CircuitLimits): CircuitDecision {
  if (end.isHealthy) {
    const wasClosed = before.state === 'closed';
    const slots = wasClosed ? Math.min(before.slots + 1, limits.maxSlots) : 1;
    return {
      circuit: { state: 'closed', failures: 0, last_failed_id: null, slots },
      change: wasClosed ? 'none' : 'closes',
      pauseMs: null,
      isForgotten: slots === limits.maxSlots,
    };
  }
  // It was on its way when the circuit opened, and says nothing new.
  const isLate = before.state === 'open' && !end.isProbe;
  const isNew = before.state !== 'closed' || before.last_failed_id !== end.deliveryId;
  const failures = before.failures + (isNew && !isLate ? 1 : 0);
  const state = before.state !== 'closed' || failures >= limits.failuresToOpen ? 'open' : 'closed';
  const slots = state === 'open' ? 1 : Math.max(1, Math.floor(before.slots / 2));
  const requestedMs = Math.min((end.retryAfterS ?? 0) * 1_000, MAX_RECEIVER_PAUSE_MS);
  const pauseMs = state === 'open' ? Math.max(pauseAfter(failures, end.random, limits), requestedMs) : requestedMs;
  return {
    circuit: { state, failures, last_failed_id: end.deliveryId, slots },
    change: state === 'open' && before.state !== 'open' ? 'opens' : 'none',
    pauseMs: isLate || pauseMs === 0 ? null : pauseMs,
    isForgotten: false,
  };
}

function pauseAfter(failures: number, random: number, limits: CircuitLimits): number {
  const doublings = Math.min(Math.max(failures - limits.failuresToOpen, 0), 30);
  const pauseMs = Math.min(limits.pauseMs * 2 ** doublings, limits.maxPauseMs);
  return Math.round(pauseMs * (1 - JITTER + 2 * JITTER * random));
}
