import test from 'ava';
import { decideDelivery, isReceiverHealthy, WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';

const HOUR_MS = 3_600_000;
const PROGRESS = {
  attempts: 1,
  attemptDelaysMs: WEBHOOK_ATTEMPT_DELAYS_MS,
  ageMs: 0,
  maxAgeMs: null,
  brokenPauseMs: null,
  random: 0.5,
};
const decide = (status: number | null, attempts: number, more: { retryAfterS?: number; random?: number } = {}) =>
  decideDelivery(
    { status, retryAfterS: more.retryAfterS ?? null },
    { ...PROGRESS, attempts, random: more.random ?? 0.5 },
  );

/** The delays of a delivery to a receiver that always responds with this status. */
function delaysOf(status: number | null, random: number): number[] {
  const waits: number[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const decision = decide(status, attempts, { random });
    if (decision.kind !== 'again') return waits;
    waits.push(decision.waitMs);
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

test('spreads ten attempts over 75 h 35 min 5 s, plus or minus a tenth', (t) => {
  t.is(WEBHOOK_ATTEMPT_DELAYS_MS.length, 10);
  t.is(sum(WEBHOOK_ATTEMPT_DELAYS_MS), (75 * 3600 + 35 * 60 + 5) * 1000);
  t.deepEqual(delaysOf(500, 0.5), WEBHOOK_ATTEMPT_DELAYS_MS.slice(1));
  t.is(sum(delaysOf(null, 0)), Math.round(0.9 * sum(WEBHOOK_ATTEMPT_DELAYS_MS)));
  t.true(Math.abs(sum(delaysOf(503, 0.999_999)) - 1.1 * sum(WEBHOOK_ATTEMPT_DELAYS_MS)) < 1000);
});

test('succeeds on 2xx, ends on 410, and retries everything else until the last attempt', (t) => {
  for (const status of [200, 201, 204, 299]) t.is(decide(status, 1).kind, 'delivered');
  t.deepEqual(decide(410, 1), { kind: 'failed', reason: 'gone' });
  for (const status of [null, 100, 199, 301, 302, 307, 400, 401, 404, 409, 429, 500, 503]) {
    t.is(decide(status, 1).kind, 'again', String(status));
    t.is(decide(status, 9).kind, 'again', String(status));
    t.deepEqual(decide(status, 10), { kind: 'failed', reason: 'exhausted' }, String(status));
  }
  t.is(decide(200, 10).kind, 'delivered');
});

test('honours a Retry-After up to a day, but never retries earlier than the schedule', (t) => {
  const waitOf = (attempts: number, retryAfterS: number) => {
    const decision = decide(429, attempts, { retryAfterS });
    return decision.kind === 'again' ? decision.waitMs : null;
  };
  t.is(waitOf(1, 90), 90_000);
  t.is(waitOf(4, 90), 2 * HOUR_MS);
  t.is(waitOf(1, 10 ** 9), 24 * HOUR_MS);
});

test('a delivery that would be too old at its next attempt is tried once more just before the limit', (t) => {
  const at = (ageMs: number, random: number, retryAfterS: number | null = null) =>
    decideDelivery({ status: 503, retryAfterS }, { ...PROGRESS, attempts: 2, ageMs, maxAgeMs: 240_000, random });
  t.deepEqual(at(5_000, 0), { kind: 'again', waitMs: 230_000 });
  t.deepEqual(at(5_000, 0.5), { kind: 'again', waitMs: 228_000 }, 'not all at the same time');
  for (const ageMs of [231_000, 235_000])
    t.deepEqual(at(ageMs, 0), { kind: 'failed', reason: 'expired' }, 'that was the attempt before the limit');
  t.deepEqual(at(5_000, 0.5, 234), { kind: 'again', waitMs: 234_000 });
  t.deepEqual(at(5_000, 0.5, 236), { kind: 'failed', reason: 'expired' }, 'the receiver wants it later than the limit');
});

test('a delivery fails when no useful time is left until its age limit', (t) => {
  const at = (ageMs: number) =>
    decideDelivery({ status: 400, retryAfterS: null }, { ...PROGRESS, ageMs, maxAgeMs: 60_000 });
  t.deepEqual(at(50_000), { kind: 'again', waitMs: 5_000 });
  t.deepEqual(at(56_000), { kind: 'failed', reason: 'expired' });
});

test('while its receiver is broken, a delivery fails for its age and not for the number of its attempts', (t) => {
  const broken = { ...PROGRESS, attempts: 900, brokenPauseMs: 300_000, maxAgeMs: 75 * HOUR_MS };
  const at = (ageMs: number) => decideDelivery({ status: null, retryAfterS: null }, { ...broken, ageMs });
  t.deepEqual(at(74 * HOUR_MS), { kind: 'again', waitMs: 300_000 });
  t.deepEqual(at(76 * HOUR_MS), { kind: 'failed', reason: 'expired' });
  t.deepEqual(decideDelivery({ status: 503, retryAfterS: 900 }, broken), { kind: 'again', waitMs: 900_000 });
  t.deepEqual(decideDelivery({ status: 204, retryAfterS: null }, { ...broken, ageMs: 80 * HOUR_MS }), {
    kind: 'delivered',
  });
});

test('treats a receiver as healthy unless it responds with a server error or asks for fewer messages', (t) => {
  const answers = [200, 302, 404, 410, 429, 500, 503, null];
  t.deepEqual(
    answers.filter((status) => isReceiverHealthy({ status, retryAfterS: null })),
    [200, 302, 404, 410],
  );
});
