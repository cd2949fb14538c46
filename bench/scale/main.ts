/**
 * `npm run bench:scale [-- --scale 0.2]`: fills a PostgreSQL of its own with a large, skewed data set and measures what the calls
 * of the stores read and take. `--chunks`, `--contents`, `--collections`, `--memories`, `--deliveries` set single sizes;
 * `--plans WORD` prints the plans of the calls whose name contains the word.
 */
import { parseArgs } from 'node:util';
import { fillDataSet } from './fill-data-set.ts';
import { measureStatements } from './measure-statements.ts';
import { withPrivatePostgres } from './private-postgres.ts';
import { storeCalls } from './store-calls.ts';

const FULL_SIZE = {
  chunks: 5_000_000,
  contents: 500_000,
  collections: 2_000,
  memories: 1_000_000,
  deliveries: 1_000_000,
};

const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    chunks: { type: 'string' },
    contents: { type: 'string' },
    collections: { type: 'string' },
    memories: { type: 'string' },
    deliveries: { type: 'string' },
    plans: { type: 'string' },
  },
});

const sizeOf = (name: keyof typeof FULL_SIZE) =>
  Number(options[name] ?? Math.ceil(FULL_SIZE[name] * Number(options.scale)));
const size = {
  chunks: sizeOf('chunks'),
  contents: sizeOf('contents'),
  collections: sizeOf('collections'),
  memories: sizeOf('memories'),
  deliveries: sizeOf('deliveries'),
};

await withPrivatePostgres(async ({ owner, application }) => {
  console.log(JSON.stringify(size));
  const data = await fillDataSet(owner, size, (line) => console.error(line));
  console.log('| call | buffers | ms |\n| --- | ---: | ---: |');
  for (const call of storeCalls(data)) {
    const isVerbose = options.plans !== undefined && call.what.includes(options.plans);
    const { what, buffers, elapsedMs, plans } = await measureStatements(application, call, { isVerbose });
    console.log(`| ${what} | ${buffers} | ${elapsedMs.toFixed(1)} |`);
    for (const plan of plans) if (plan !== '') console.log(plan);
  }
});
