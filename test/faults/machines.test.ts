import test from 'ava';
import { BENCH_CACHE_DIR } from '#bench/bench-stack.ts';
import { runMachinesCampaign } from '#bench/chaos/machines/machines-campaign.ts';
import { withMachines } from '#bench/chaos/machines/start-machines.ts';
import { formatReport, listFindings } from '#bench/chaos/report.ts';
import { hasS3Server } from '#test/support/buckets/s3-server.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';

const machinesTest = hasS3Server ? test : test.skip;

/** `npm run chaos -- --machines 2` kills every process; here those die that no other test of this folder kills. */
machinesTest(
  'two machines that share no disk lose and duplicate nothing when the bucket or a node of the index is killed',
  async (t) => {
    t.timeout(480_000);
    const lines: string[] = [];
    const options = {
      rounds: 2,
      targets: ['s3', 'weaviate-node'],
      documents: 40,
      seed: TEST_SEED,
      // No finding depends on it.
      meterEveryMs: 2_000,
      log: (line: string) => void lines.push(line),
    };
    const machinesOf = { count: 2, cacheDir: BENCH_CACHE_DIR, temporal: 'one' } as const;
    const result = await withMachines(machinesOf, (machines) => runMachinesCampaign(machines, options));
    const findings = listFindings(result, Infinity);
    if (findings.length > 0) for (const line of lines) t.log(line);
    for (const line of formatReport(result)) t.log(line);
    t.deepEqual(findings, []);
  },
);
