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
  console.log(JSON.stringify(await ensureFirstRun(Object.fromEntries(settings))));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
