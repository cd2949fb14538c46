/**
 * `node stack/promote-worker.ts [--back]`: makes the workers of `LOCI_WORKER_BUILD_ID` the current ones. Idempotent. `--back`: they are of
 * an older release, which may lack queues of the current one.
 */
import { parseArgs } from 'node:util';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { promoteWorkerVersion } from '#stack/servers/worker-version.ts';
import { reasonOf } from './stack-error.ts';

/** How long the new workers may take to start. */
const TIMEOUT_MS = 120_000;

try {
  const { values: options } = parseArgs({ options: { back: { type: 'boolean', default: false } } });
  const temporal = readTemporalSettings(process.env);
  await promoteWorkerVersion(temporal, { timeoutMs: TIMEOUT_MS, isOlder: options.back });
  console.log(
    `Workers of the build ${temporal.workerVersion?.buildId} get all new tasks. Stop the other ones with SIGTERM.`,
  );
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
