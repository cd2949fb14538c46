import test from 'ava';
import { formatTimeAgo } from '../../../console/src/format/format-time.ts';

const HOUR_MS = 3_600_000;
const now = new Date('2026-03-04T09:00:00Z');

const CASES: readonly [hours: number, shown: string][] = [
  [0, 'just now'],
  [-0.01, 'just now'],
  [-0.5, '30 minutes ago'],
  [-1, '1 hour ago'],
  [-23.9, '23 hours ago'],
  [-25, '1 day ago'],
  [-47, '1 day ago'],
  [-49, '2 days ago'],
  [-24 * 45, '1 month ago'],
  [-24 * 400, '1 year ago'],
  [-24 * 700, '1 year ago'],
  [-24 * 800, '2 years ago'],
  [25, 'in 1 day'],
  [47, 'in 1 day'],
];

for (const [hours, shown] of CASES) {
  test(`${hours} hours from now is shown as ${shown}`, (t) => {
    t.is(formatTimeAgo(new Date(now.getTime() + hours * HOUR_MS), now), shown);
  });
}
