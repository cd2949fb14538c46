/**
 * `npm run chaos -- [--rounds 20] [--seed N] [--big-text-bytes N] [--logs DIR]`: starts the whole product with temporary state,
 * kills and suspends its processes while documents are ingested, and checks everything that was acknowledged. Exits with 1 if
 * anything was lost, duplicated, left over or stuck.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '#test/support/harness/seeded-random.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { withTestStack } from '#bench/with-test-stack.ts';
import { withBenchStack } from '#bench/bench-stack.ts';
import { planCampaign, runCampaign } from './campaign.ts';
import { listFindings, formatReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'big-text-bytes': { type: 'string', default: String(4 * 1024 * 1024) },
    logs: { type: 'string' },
  },
});
const seed = Number(values.seed);
const startedMs = performance.now();
const log = (line: string) =>
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(7)}  ${line}`);

const findings = await withBenchStack({ LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS }, async (bench) => {
  try {
    const kinds = planCampaign(Number(values.rounds), seededRandom(seed));
    log(`seed ${seed}: ${kinds.join(', ')}`);
    const bigTextBytes = Number(values['big-text-bytes']);
    const options = { kinds, seed, bigTextBytes, log };
    const result = await withTestStack(bench, (stack) => runCampaign(stack, options));
    console.log(`\n${formatReport(result).join('\n')}`);
    return listFindings(result);
  } finally {
    if (values.logs !== undefined)
      await cp(join(bench.servers.context.stateDir, 'logs'), values.logs, { recursive: true });
  }
});
for (const line of findings) console.log(`- ${line}`);
process.exitCode = findings.length > 0 ? 1 : 0;
