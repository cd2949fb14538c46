/**
 * `npm run bench:prompt [-- --texts 50 --files 10000 --documents 30 --only same,other,slow,receiver,progress]`: how long a single
 * text takes from its upload to the first search that finds it: on an idle service, beside a bulk upload of the same workspace and
 * of another one, beside slow documents of another workspace, and with a webhook receiver that does not answer. `progress`: the
 * longest time in which the progress of an upload of 135 documents does not move.
 */
import { parseArgs } from 'node:util';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { percentile, seconds, formatVerdict } from '#bench/statistics.ts';
import { measureProgress } from './measure-progress.ts';
import { addressOf, announceToNobody, otherWorkspace, uploadBulk, uploadSlow, type OtherWork } from './other-work.ts';
import { createPromptClient, type PromptClient } from './prompt-client.ts';

const GOAL_TIMES_IDLE = 3;
const GOAL_P95_S = 3;
const GOAL_BULK = 0.95;
const GOAL_STANDSTILL_S = 5;
/** A text that takes longer counts as this long; a scenario ends after `MAX_TIMEOUTS` of them. */
const TIMEOUT_MS = 120_000;
const MAX_TIMEOUTS = 2;

const { values: options } = parseArgs({
  options: {
    texts: { type: 'string', default: '50' },
    files: { type: 'string', default: '10000' },
    documents: { type: 'string', default: '30' },
    only: { type: 'string', default: 'same,other,slow,receiver,progress' },
  },
});
const files = Number(options.files);

/** `bulkFiles`: the other work is a bulk upload, which is also measured without texts beside it. */
type Scenario = { title: string; begin: (stack: BenchStack) => Promise<OtherWork>; bulkFiles?: number };

/** What else the service does while texts are measured. Each runs on a stack of its own, after the same texts on the idle one. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  same: {
    title: 'beside a bulk upload of the same workspace',
    begin: ({ client }) => uploadBulk(client, files),
    bulkFiles: files,
  },
  other: {
    title: 'beside a bulk upload of another workspace',
    begin: async (stack) => uploadBulk(await otherWorkspace(stack), files),
  },
  slow: {
    title: 'beside slow documents of another workspace',
    begin: async (stack) => uploadSlow(await otherWorkspace(stack), Number(options.documents)),
  },
  receiver: { title: 'with a receiver that does not answer', begin: announceToNobody },
};

for (const name of options.only.split(',')) {
  const scenario = SCENARIOS[name];
  if (scenario === undefined && name !== 'progress')
    throw new Error(`--only knows progress, ${Object.keys(SCENARIOS).join(', ')}, not ${name}`);
  await withBenchStack({ LOCI_EGRESS_ALLOW: '127.0.0.1/32' }, (stack) =>
    scenario ? measureScenario(stack, scenario) : reportProgress(stack),
  );
}

async function measureScenario(stack: BenchStack, { title, begin, bulkFiles }: Scenario): Promise<void> {
  const client = createPromptClient(addressOf(stack), stack.apiKey);
  const idle = await measure(client, 'idle', null);
  const aloneMs = bulkFiles === undefined ? null : await (await uploadBulk(stack.client, bulkFiles)).elapsedMs;
  const work = await begin(stack);
  const beside = await measure(client, title, work);
  console.log(formatVerdict(`${title}: p95 / p95 idle`, beside.p95 / idle.p95, { atMost: GOAL_TIMES_IDLE }));
  console.log(formatVerdict(`${title}: p95 in seconds`, beside.p95 / 1000, { atMost: GOAL_P95_S }));
  const elapsedMs = await work.elapsedMs;
  console.log(`the other work took ${seconds(elapsedMs)}`);
  if (aloneMs === null) return;
  console.log(formatVerdict('bulk upload alone / with texts beside it', aloneMs / elapsedMs, { atLeast: GOAL_BULK }));
}

async function reportProgress(stack: BenchStack): Promise<void> {
  const { firstMs, longestMs, elapsedMs } = await measureProgress(stack.client);
  console.log(
    `135 mixed documents were ready after ${seconds(elapsedMs)}, the first of them after ${seconds(firstMs)}`,
  );
  console.log(
    formatVerdict('longest time without progress, in seconds', longestMs / 1000, { atMost: GOAL_STANDSTILL_S }),
  );
}

async function measure(
  client: PromptClient,
  title: string,
  work: OtherWork | null,
): Promise<{ p50: number; p95: number }> {
  const collectionId = await client.createCollection(`notes, ${title}`);
  const times = await timeTexts(client, collectionId, () => work?.isRunning() ?? true);
  const found = { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
  console.log(`${title}: p50 ${seconds(found.p50)}, p95 ${seconds(found.p95)} of ${times.length} texts`);
  return found;
}

/** Ends early when the other work has ended: what follows would be measured on an idle service. */
async function timeTexts(client: PromptClient, collectionId: string, isWorking: () => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < Number(options.texts); number += 1) {
    const time = await client.timeToSearchable(collectionId, `quillon${number}`, TIMEOUT_MS);
    if (times.length > 0 && !isWorking()) break;
    times.push(time ?? TIMEOUT_MS);
    if (times.filter((one) => one >= TIMEOUT_MS).length >= MAX_TIMEOUTS) break;
  }
  return times;
}
