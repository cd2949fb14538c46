import test from 'ava';
import { runCampaign } from '#bench/chaos/campaign.ts';
import { listFindings, formatReport } from '#bench/chaos/report.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';

/** `npm run chaos` runs twenty rounds or more; these are the kinds that find the most problems. */
test('kills and stalls neither lose nor duplicate acknowledged work, and leave nothing behind', async (t) => {
  t.timeout(480_000);
  t.log(`seed ${TEST_SEED}`);
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const result = await runCampaign(testStack(), {
    kinds: ['weaviate', 'stall'],
    seed: TEST_SEED,
    bigTextBytes: 1024 * 1024,
    // No finding depends on it.
    meterEveryMs: 2_000,
    log,
  });
  const findings = listFindings(result, Infinity);
  if (findings.length > 0) for (const line of lines) t.log(line);
  for (const line of formatReport(result)) t.log(line);
  t.deepEqual(findings, []);
});
