import test from 'ava';
import { listKillFindings, playRefreshKills, formatKillReport } from '#bench/oauth/refresh-kills.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';

const stack = testStack();

test.afterEach.always('the worker runs again', () => stack.processes.worker.start());

/** `npm run bench:refresh` kills workers more often. */
test('killing workers loses no connection, except when rotated tokens never arrived', async (t) => {
  t.timeout(480_000);
  t.log(`seed ${TEST_SEED}`);
  const lines: string[] = [];
  const result = await playRefreshKills(stack, {
    kills: 1,
    perKill: 6,
    seed: TEST_SEED,
    log: (line) => void lines.push(line),
  });
  for (const line of [...lines, ...formatKillReport(result)]) t.log(line);
  t.deepEqual(listKillFindings(result), []);
});
