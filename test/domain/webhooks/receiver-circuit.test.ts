import test from 'ava';
import { decideCircuit, newCircuit, type AttemptEnd, type ReceiverCircuit } from '#domain/webhooks/receiver-circuit.ts';

const LIMITS = { maxSlots: 4, failuresToOpen: 5, pauseMs: 5_000, maxPauseMs: 300_000 };
const END: AttemptEnd = { deliveryId: 'a', isHealthy: true, isProbe: false, retryAfterS: null, random: 0.5 };

const fail = (circuit: ReceiverCircuit, more: Partial<AttemptEnd> = {}) =>
  decideCircuit(circuit, { ...END, isHealthy: false, ...more }, LIMITS);
const succeed = (circuit: ReceiverCircuit) => decideCircuit(circuit, END, LIMITS);

/** A circuit after failed attempts of these deliveries. */
const failed = (...ids: string[]) =>
  ids.reduce((circuit, deliveryId) => fail(circuit, { deliveryId }).circuit, newCircuit(LIMITS));

test('five failures in a row open a circuit', (t) => {
  const before = failed('a', 'b', 'c', 'd');
  t.is(before.state, 'closed');
  t.like(fail(before, { deliveryId: 'e' }), { change: 'opens', pauseMs: 5_000, circuit: { state: 'open', slots: 1 } });
  t.like(succeed(before), { change: 'none', circuit: { state: 'closed', failures: 0 } });
});

test('failures of one delivery alone never open it: the receiver may refuse this message only', (t) => {
  const before = failed('a', 'a', 'a', 'a', 'a', 'a', 'a');
  t.like(before, { state: 'closed', failures: 1 });
});

test('each failed probe doubles the pause, up to a maximum; failures of what was on its way do not', (t) => {
  let circuit = failed('a', 'b', 'c', 'd', 'e');
  const pauses: (number | null)[] = [];
  for (let probe = 1; probe <= 8; probe += 1) {
    t.like(fail(circuit), { pauseMs: null, change: 'none', circuit: { failures: circuit.failures } });
    const next = fail(circuit, { isProbe: true });
    t.is(next.change, 'none');
    pauses.push(next.pauseMs);
    circuit = next.circuit;
  }
  t.deepEqual(
    pauses,
    [10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1_000),
  );
});

test('a success closes a circuit, and the receiver starts with one delivery at a time, then two, three, four', (t) => {
  const closed = succeed(failed('a', 'b', 'c', 'd', 'e'));
  t.like(closed, { change: 'closes', isForgotten: false, pauseMs: null, circuit: { state: 'closed', failures: 0 } });
  const slots = [closed.circuit.slots];
  let last = closed;
  while (!last.isForgotten) {
    last = succeed(last.circuit);
    slots.push(last.circuit.slots);
  }
  t.deepEqual(slots, [1, 2, 3, 4]);
  t.is(fail(last.circuit).circuit.slots, 2, 'a failure halves it');
});

test('a failure opens a half-open circuit again, with the next longer pause', (t) => {
  const half: ReceiverCircuit = { ...failed('a', 'b', 'c', 'd', 'e'), state: 'half_open' };
  t.like(fail(half), { change: 'opens', pauseMs: 10_000, circuit: { state: 'open', failures: 6 } });
  t.like(succeed(half), { change: 'closes', circuit: { state: 'closed' } });
});

test('a Retry-After pauses the receiver, for an hour at most, without opening its circuit', (t) => {
  const busy = fail(newCircuit(LIMITS), { retryAfterS: 90 });
  t.like(busy, { pauseMs: 90_000, change: 'none', circuit: { state: 'closed' } });
  t.is(fail(newCircuit(LIMITS), { retryAfterS: 86_400 }).pauseMs, 3_600_000);
  t.is(fail(newCircuit(LIMITS)).pauseMs, null);
  const open = failed('a', 'b', 'c', 'd', 'e');
  t.is(fail(open, { isProbe: true, retryAfterS: 600 }).pauseMs, 600_000);
  t.is(fail(open, { isProbe: true, retryAfterS: 1 }).pauseMs, 10_000);
});
