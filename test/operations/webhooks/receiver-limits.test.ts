import test from 'ava';
import { WEBHOOK_ATTEMPT_DELAYS_MS } from '#domain/webhooks/delivery-decision.ts';
import { receiverLimits } from '#operations/webhooks/webhook-services.ts';

const pausesWith = (attemptDelaysMs: readonly number[]) => {
  const { pauseMs, maxPauseMs } = receiverLimits({ attemptDelaysMs, timeoutMs: 15_000, logRetentionDays: 30 });
  return [pauseMs, maxPauseMs];
};

test('the pauses of a broken receiver follow the second wait of the schedule, up to an hour', (t) => {
  const HOUR_MS = 3_600_000;
  t.deepEqual(pausesWith(WEBHOOK_ATTEMPT_DELAYS_MS), [5_000, 300_000]);
  t.deepEqual(pausesWith([0, 600_000]), [600_000, HOUR_MS], 'not ten hours');
  t.deepEqual(pausesWith([0, 24 * HOUR_MS]), [HOUR_MS, HOUR_MS]);
  t.deepEqual(pausesWith([0]), [5_000, 300_000], 'a schedule of one attempt has no second wait');
});
