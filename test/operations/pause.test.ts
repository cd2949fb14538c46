import test from 'ava';
import { createPause } from '#operations/pause.ts';

test('long work lets others go on between its pieces', async (t) => {
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  t.teardown(() => clearInterval(others));
  const pause = createPause();
  for (let piece = 0; piece < 5; piece += 1) {
    for (const untilMs = performance.now() + 10; performance.now() < untilMs;);
    await pause();
  }
  t.true(turns >= 4, `${turns}`);
});
