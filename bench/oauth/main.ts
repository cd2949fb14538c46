/**
 * `npm run bench:refresh -- [--rounds 200] [--callers 20] [--kills 10] [--per-kill 10] [--seed N] [--logs DIR]`: refreshes one
 * connection with many concurrent callers at two API processes, in many rounds, at a provider with reuse detection. Then kills
 * the worker while connections to providers of every kind are refreshed. Exits with 1 if a goal is missed.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { DOWNLOAD_ADDRESS, type TestStack } from '#test/support/harness/stack.ts';
import { withTestStack } from '#bench/with-test-stack.ts';
import { withBenchStack } from '#bench/bench-stack.ts';
import { listKillFindings, playRefreshKills, formatKillReport } from './refresh-kills.ts';
import { listRoundFindings, playRefreshRounds, formatRoundReport } from './refresh-rounds.ts';

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
    return await withTestStack(bench, async (stack) => [...(await playRounds(stack)), ...(await playKills(stack))]);
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
    console.log(`${formatRoundReport(result).join('\n')}\n`);
    return listRoundFindings(result);
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
  console.log(formatKillReport(result).join('\n'));
  return listKillFindings(result);
}
