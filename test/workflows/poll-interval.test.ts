import test from 'ava';
import { pollIntervalMs } from '#workflows/poll-interval.ts';

test('a paused crawl checks again at growing intervals, at least once a day', (t) => {
  const minutes = [0, 1, 2, 7, 8, 5_000].map((looks) => pollIntervalMs(looks) / 60_000);
  t.deepEqual(minutes, [10, 20, 40, 1_280, 1_440, 1_440]);
});
