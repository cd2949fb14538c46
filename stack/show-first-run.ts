/**
 * `node stack/show-first-run.ts`: makes the first workspace, API key and collection if there are none, and prints them as
 * JSON. A process of its own, so that the launcher does not keep the embedding model it loads in memory.
 */
import { firstRun } from './first-run.ts';

const settings = Object.entries(process.env).flatMap(([name, value]) =>
  value === undefined ? [] : [[name, value] as const],
);
console.log(JSON.stringify(await firstRun(Object.fromEntries(settings))));
