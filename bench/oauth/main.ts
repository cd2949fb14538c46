/**
 * `npm run bench:refresh -- [--rounds 200] [--callers 20] [--kills 10] [--per-kill 10] [--seed N] [--logs DIR]`: refreshes one
 * connection from many callers at two API processes, round after round, at a provider that punishes reuse; then kills the
 * worker while connections to providers of every kind are refreshed. Ends with status 1 when a goal is missed.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { DOWNLOAD_ADDRESS, type TestStack } from '#test/support/harness/stack.ts';
import { asTestStack } from '#bench/as-test-stack.ts';
import { withBenchStack } from '#bench/bench-stack.ts';
import { findingsOfKills, playRefreshKills, reportOfKills } from './refresh-kills.ts';
import { findingsOfRounds, playRefreshRounds, reportOfRounds } from './refresh-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    callers: { type: 'string', default: '20' },
    kills: { type: 'string', default: '10' },
    'per-kill': { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    logs: { type: 'string' },
  },
});

const findings = await withBenchStack({ LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS }, async (bench) => {
  try {
    return await asTestStack(bench, async (stack) => [...(await playRounds(stack)), ...(await playKills(stack))]);
  } finally {
    if (values.logs !== undefined)
      await cp(join(bench.servers.context.stateDir, 'logs'), values.logs, { recursive: true });
  }
});
for (const line of findings) console.log(`- ${line}`);
process.exitCode = findings.length > 0 ? 1 : 0;

async function playRounds(stack: TestStack): Promise<string[]> {
  if (Number(values.rounds) === 0) return [];
  const second = await startSecondProcess(stack, { kind: 'api', name: 'api-2' });
  try {
    const result = await playRefreshRounds(stack, {
      rounds: Number(values.rounds),
      callers: Number(values.callers),
      baseUrls: [stack.baseUrl, second.url],
    });
    console.log(`${reportOfRounds(result).join('\n')}\n`);
    return findingsOfRounds(result);
  } finally {
    await second.stop();
  }
}

async function playKills(stack: TestStack): Promise<string[]> {
  if (Number(values.kills) === 0) return [];
  console.log(`seed ${values.seed}`);
  const result = await playRefreshKills(stack, {
    kills: Number(values.kills),
    perKill: Number(values['per-kill']),
    seed: Number(values.seed),
    log: (line) => console.error(line),
  });
  console.log(reportOfKills(result).join('\n'));
  return findingsOfKills(result);
}
