/**
 * `npm run chaos -- [--rounds 20] [--seed N] [--big-text-bytes N] [--logs DIR]`: starts the whole product with temporary state,
 * kills and suspends its processes while documents are ingested, and checks everything that was acknowledged.
 * `npm run chaos -- --machines 2 [--rounds 8] [--documents 2000] [--seed N] [--logs DIR]`: the same with that many machines
 * that share no disk, over S3, Temporal behind TLS, three nodes of Weaviate and one Postgres; each process is killed in turn.
 * With `--temporal cluster`, Temporal is its frontend, history, matching and worker as processes of their own over Postgres.
 * Exits with 1 if anything was lost, duplicated, left over or stuck.
 */
import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCH_CACHE_DIR, withBenchStack } from '#bench/bench-stack.ts';
import { withTestStack } from '#bench/with-test-stack.ts';
import { acquireServer } from '#stack/acquire/acquire-server.ts';
import { VERSITYGW } from '#stack/versions.ts';
import { seededRandom } from '#test/support/harness/seeded-random.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { planCampaign, runCampaign } from './campaign.ts';
import { runMachinesCampaign } from './machines/machines-campaign.ts';
import { withMachines } from './machines/start-machines.ts';
import { listFindings, formatReport } from './report.ts';

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    documents: { type: 'string', default: '2000' },
    temporal: { type: 'string', default: 'one' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'big-text-bytes': { type: 'string', default: String(4 * 1024 * 1024) },
    logs: { type: 'string' },
  },
});
const seed = Number(values.seed);
const startedMs = performance.now();
const log = (line: string) =>
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(7)}  ${line}`);

const findings = await (Number(values.machines) > 1 ? runOnMachines() : runOnOneMachine());
for (const line of findings) console.log(`- ${line}`);
process.exitCode = findings.length > 0 ? 1 : 0;

function runOnOneMachine(): Promise<string[]> {
  return withBenchStack({ LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS }, async (bench) => {
    try {
      const kinds = planCampaign(Number(values.rounds ?? 20), seededRandom(seed));
      log(`seed ${seed}: ${kinds.join(', ')}`);
      const bigTextBytes = Number(values['big-text-bytes']);
      const options = { kinds, seed, bigTextBytes, log };
      const result = await withTestStack(bench, (stack) => runCampaign(stack, options));
      console.log(`\n${formatReport(result).join('\n')}`);
      return listFindings(result);
    } finally {
      await keepLogs(bench.servers.context.stateDir);
    }
  });
}

async function runOnMachines(): Promise<string[]> {
  await acquireServer(VERSITYGW, { cacheDir: BENCH_CACHE_DIR, environment: process.env, log });
  const count = Number(values.machines);
  const temporal = values.temporal === 'cluster' ? 'cluster' : 'one';
  return withMachines({ count, cacheDir: BENCH_CACHE_DIR, temporal }, async (machines) => {
    try {
      log(`seed ${seed}: ${count} machines`);
      const options = { rounds: Number(values.rounds ?? 8), documents: Number(values.documents), seed, log };
      const result = await runMachinesCampaign(machines, options);
      console.log(`\n${formatReport(result).join('\n')}`);
      console.log(`sent again   ${result.repeated} uploads without an answer, with the same Idempotency-Key`);
      return listFindings(result);
    } finally {
      await keepLogs(machines.servers.context.stateDir);
      for (const { process } of machines.cluster.nodes) await keep(process.logFile);
    }
  });
}

async function keepLogs(stateDir: string): Promise<void> {
  if (values.logs !== undefined) await cp(join(stateDir, 'logs'), values.logs, { recursive: true });
}

async function keep(file: string): Promise<void> {
  if (values.logs === undefined) return;
  await mkdir(values.logs, { recursive: true });
  await cp(file, join(values.logs, basename(file)));
}
