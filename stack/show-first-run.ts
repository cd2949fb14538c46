/**
 * `node stack/show-first-run.ts`: makes the first workspace, API key and collection if there are none, and prints them as
 * JSON. A process of its own, so that the launcher does not keep the embedding model it loads in memory.
 */
import { firstRun } from './first-run.ts';
import { reasonOf } from './stack-error.ts';

const settings = Object.entries(process.env).flatMap(([name, value]) =>
  value === undefined ? [] : [[name, value] as const],
);
try {
  console.log(JSON.stringify(await firstRun(Object.fromEntries(settings))));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
