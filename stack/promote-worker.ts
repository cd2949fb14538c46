/** `node stack/promote-worker.ts`: makes the workers of `LOCI_WORKER_BUILD_ID` the current ones. Idempotent. */
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { promoteWorkerVersion } from '#stack/servers/worker-version.ts';
import { reasonOf } from './stack-error.ts';

/** How long the new workers may take to start. */
const TIMEOUT_MS = 120_000;

try {
  const temporal = readTemporalSettings(process.env);
  await promoteWorkerVersion(temporal, TIMEOUT_MS);
  console.log(
    `Workers of the build ${temporal.workerVersion?.buildId} get all new tasks. Stop the older ones with SIGTERM.`,
  );
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
