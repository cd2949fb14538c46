/**
 * `npm run chaos -- [--rounds 20] [--seed N] [--big-text-bytes N] [--logs DIR]`: brings the whole product up with throw-away
 * state, kills and stops its processes while documents are ingested, and shows what became of everything that was
 * acknowledged. Ends with status 1 when anything was lost, is there twice, was left over or hangs.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startControlServer } from '../../test/support/control-server.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { DOWNLOAD_ADDRESS, TEST_STACK_VARIABLE, testStack, type TestStackFacts } from '../../test/support/stack.ts';
import { withBenchStack, type BenchStack } from '../bench-stack.ts';
import { planCampaign, runCampaign } from './campaign.ts';
import { findingsOf, reportOf } from './report.ts';

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
  const control = await startControlServer(processesOf(bench));
  try {
    process.env[TEST_STACK_VARIABLE] = JSON.stringify(factsOf(bench, control.url));
    const kinds = planCampaign(Number(values.rounds), seededRandom(seed));
    log(`seed ${seed}: ${kinds.join(', ')}`);
    const bigTextBytes = Number(values['big-text-bytes']);
    const result = await runCampaign(testStack(), { kinds, seed, bigTextBytes, log });
    console.log(`\n${reportOf(result).join('\n')}`);
    return findingsOf(result);
  } finally {
    await control.close();
    if (values.logs !== undefined)
      await cp(join(bench.servers.context.stateDir, 'logs'), values.logs, { recursive: true });
  }
});
for (const line of findings) console.log(`- ${line}`);
process.exitCode = findings.length > 0 ? 1 : 0;

function processesOf({ services, servers }: BenchStack) {
  const all = [services.api, services.worker, servers.postgres, servers.temporal, servers.weaviate];
  return new Map(all.flatMap((managed) => (managed === null ? [] : [[managed.name, managed] as const])));
}

function factsOf({ servers, workspaceId }: BenchStack, controlUrl: string): TestStackFacts {
  return {
    baseUrl: `http://127.0.0.1:${servers.ports.api}`,
    workerUrl: `http://127.0.0.1:${servers.ports.worker}`,
    // The campaign makes a workspace and a key of its own.
    apiKey: '',
    adminToken: servers.environment['LOCI_ADMIN_TOKEN'] ?? '',
    workspaceId,
    collectionId: '',
    temporalUi: servers.temporalUi ?? '',
    stateDir: servers.context.stateDir,
    controlUrl,
    environment: servers.environment,
  };
}
