/**
 * `node stack/show-first-run.ts`: creates the first workspace, API key and collection if they are missing, and prints them
 * as JSON. The launcher runs it as a separate process, so that it does not keep the embedding model in memory.
 */
import { ensureFirstRun } from './first-run.ts';
import { reasonOf } from './stack-error.ts';

const settings = Object.entries(process.env).flatMap(([name, value]) =>
  value === undefined ? [] : [[name, value] as const],
);
try {
  const first = await ensureFirstRun(Object.fromEntries(settings));
  if (!process.env['LOCI_OPERATOR_WORKSPACES']) {
    console.error(
      'To see queues, versions and settings in the console with this key, start the API with ' +
        `LOCI_OPERATOR_WORKSPACES=${first.workspace_id}`,
    );
  }
  console.log(JSON.stringify(first));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
