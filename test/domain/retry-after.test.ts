import test from 'ava';
import { parseRetryAfterS } from '#domain/retry-after.ts';

test('parses Retry-After as seconds or a date, up to a maximum', (t) => {
  const nowMs = Date.parse('Sat, 21 Nov 2026 10:00:00 GMT');
  const seconds = (header: string | undefined) => parseRetryAfterS(header, { nowMs, maxS: 3_600 });
  t.is(seconds('120'), 120);
  t.is(seconds('Sat, 21 Nov 2026 10:01:30 GMT'), 90);
  t.is(seconds('Sat, 21 Nov 2026 09:00:00 GMT'), 0);
  t.is(seconds('99999999'), 3_600);
  t.is(seconds('soon'), null);
  t.is(seconds(undefined), null);
});
