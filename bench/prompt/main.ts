/**
 * `npm run bench:prompt [-- --texts 50 --files 10000 --documents 30 --only same,slow]`: how long a single text takes from its
 * upload to the first search that finds it: on an idle service, beside a bulk upload of the same workspace and of another one,
 * beside slow documents of another workspace, and with a webhook receiver that does not answer.
 */
import { parseArgs } from 'node:util';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { sampleText } from '#bench/sample-texts.ts';
import { createServiceClient, type UploadFile } from '#bench/service-client.ts';
import { percentile, seconds, timed, formatVerdict } from '#bench/statistics.ts';
import { createPromptClient, type PromptClient } from './prompt-client.ts';

const GOAL_TIMES_IDLE = 3;
const BULK_BYTES = 200;
const FILES_PER_REQUEST = 1_000;
/** A text that takes longer counts as this long; a scenario ends after `MAX_TIMEOUTS` of them. */
const TIMEOUT_MS = 120_000;
const MAX_TIMEOUTS = 2;
/** Contents that become ready before the texts are measured beside a receiver that does not answer. */
const DELIVERIES = 3_000;
/** HTML whose nesting makes it slow to convert. */
const SLOW_HTML = `<!doctype html><body>${'<b>x '.repeat(20_000)}`;

const { values: options } = parseArgs({
  options: {
    texts: { type: 'string', default: '50' },
    files: { type: 'string', default: '10000' },
    documents: { type: 'string', default: '30' },
    only: { type: 'string', default: 'same,other,slow,receiver' },
  },
});
const fileCount = Number(options.files);

/** What else the service does while texts are measured. Each runs on a stack of its own, after the same texts on the idle one. */
const SCENARIOS: Readonly<Record<string, { title: string; begin: (stack: BenchStack) => Promise<void> }>> = {
  same: { title: 'beside a bulk upload of the same workspace', begin: uploadBulk },
  other: {
    title: 'beside a bulk upload of another workspace',
    begin: async (stack) => uploadBulk(await otherWorkspace(stack)),
  },
  slow: {
    title: 'beside slow documents of another workspace',
    begin: async (stack) => uploadSlow(await otherWorkspace(stack)),
  },
  receiver: { title: 'with a receiver that does not answer', begin: announceToNobody },
};

for (const name of options.only.split(',')) {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`--only knows ${Object.keys(SCENARIOS).join(', ')}, not ${name}`);
  const { title, begin } = scenario;
  await withBenchStack({ LOCI_EGRESS_ALLOW: '127.0.0.1/32' }, async (stack) => {
    const client = createPromptClient(addressOf(stack), stack.apiKey);
    const idle = await measure(client, 'idle');
    await begin(stack);
    const beside = await measure(client, title);
    console.log(formatVerdict(`${title}: p95 / p95 idle`, beside.p95 / idle.p95, { atMost: GOAL_TIMES_IDLE }));
  });
}

async function measure(client: PromptClient, title: string): Promise<{ p50: number; p95: number }> {
  const collectionId = await client.createCollection(`notes, ${title}`);
  const times = await timeTexts(client, collectionId);
  const found = { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
  console.log(`${title}: p50 ${seconds(found.p50)}, p95 ${seconds(found.p95)} of ${times.length} texts`);
  return found;
}

function addressOf({ servers }: BenchStack): string {
  return `http://127.0.0.1:${servers.ports.api}`;
}

async function timeTexts(client: PromptClient, collectionId: string): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < Number(options.texts); number += 1) {
    const time = await client.timeToSearchable(collectionId, `quillon${number}`, TIMEOUT_MS);
    times.push(time ?? TIMEOUT_MS);
    if (times.filter((one) => one >= TIMEOUT_MS).length >= MAX_TIMEOUTS) break;
  }
  return times;
}

/** Uploads many small files and returns while they are ingested. */
async function uploadBulk(stack: Pick<BenchStack, 'client'>): Promise<void> {
  const { id } = await stack.client.createCollection('bulk');
  for (let start = 0; start < fileCount; start += FILES_PER_REQUEST) {
    const count = Math.min(FILES_PER_REQUEST, fileCount - start);
    const files = Array.from({ length: count }, (_, at): UploadFile => {
      const number = start + at;
      return { name: `bulk-${number}.txt`, text: sampleText(number, BULK_BYTES) };
    });
    await stack.client.upload(id, files);
  }
}

async function uploadSlow(stack: Pick<BenchStack, 'client'>): Promise<void> {
  const { id } = await stack.client.createCollection('slow');
  const files = Array.from({ length: Number(options.documents) }, (_, number): UploadFile => ({
    name: `slow-${number}.html`,
    text: `${SLOW_HTML}${number}`,
  }));
  await stack.client.upload(id, files);
}

/** Two webhooks on `content.ready` at a port where nobody listens, and contents that became ready before. */
async function announceToNobody(stack: BenchStack): Promise<void> {
  const client = createPromptClient(addressOf(stack), stack.apiKey);
  for (const path of ['one', 'two']) await client.createWebhook(`http://127.0.0.1:9/${path}`, ['content.ready']);
  const { id } = await stack.client.createCollection('announced');
  const files = Array.from({ length: DELIVERIES }, (_, number): UploadFile => ({
    name: `announced-${number}.txt`,
    text: sampleText(number, BULK_BYTES),
  }));
  const { elapsedMs } = await timed(() => stack.client.ingest(id, files));
  console.log(`${DELIVERIES} contents announced to two dead receivers became ready in ${seconds(elapsedMs)}`);
}

/** A client of a workspace of its own. */
async function otherWorkspace(stack: BenchStack): Promise<Pick<BenchStack, 'client'>> {
  const baseUrl = addressOf(stack);
  const response = await fetch(`${baseUrl}/api/v1/workspaces`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${stack.servers.environment['LOCI_ADMIN_TOKEN'] ?? ''}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'another workspace' }),
  });
  const { api_key: key } = CreatedWorkspace.parse(await response.json());
  return { client: createServiceClient(baseUrl, key.secret ?? '') };
}
