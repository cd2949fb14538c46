import test from 'ava';
import { findingsOfKills, playRefreshKills, reportOfKills } from '../../bench/oauth/refresh-kills.ts';
import { testStack } from '../support/stack.ts';

const stack = testStack();

test.afterEach.always('the worker runs again', () => stack.processes.worker.start());

/** `npm run bench:refresh` kills more often. */
test('a worker that is killed loses no connection, but where tokens changed and never arrived', async (t) => {
  t.timeout(180_000);
  const seed = Number(process.env['LOCI_CHAOS_SEED'] ?? Date.now() % 1_000_000);
  t.log(`seed ${seed}`);
  const lines: string[] = [];
  const result = await playRefreshKills(stack, { kills: 1, perKill: 6, seed, log: (line) => void lines.push(line) });
  for (const line of [...lines, ...reportOfKills(result)]) t.log(line);
  t.deepEqual(findingsOfKills(result), []);
});
