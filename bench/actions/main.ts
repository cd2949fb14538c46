/**
 * `npm run bench:actions [-- --singles 200 --texts 1000 --documents 60]`: what ingestion asks of Temporal, for 1,000 documents:
 * actions as Temporal Cloud counts them, heartbeats among them, events and bytes of the histories.
 */
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import pMap from 'p-map';
import { temporalConnection } from '#workers/temporal-connection.ts';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { sampleText } from '#bench/sample-texts.ts';
import type { UploadFile } from '#bench/service-client.ts';
import { addUsage, NO_USAGE, usageOf, type Usage } from './history-usage.ts';

const { values: options } = parseArgs({
  options: {
    singles: { type: 'string', default: '200' },
    texts: { type: 'string', default: '1000' },
    documents: { type: 'string', default: '60' },
  },
});

const TEXT_BYTES = 200;
const DOCUMENT_BYTES = 12_000;
const PER = 1_000;
const HISTORIES_AT_ONCE = 20;
const POLL_MS = 500;

await withBenchStack({}, async (stack) => {
  const connection = await Connection.connect(temporalConnection(stack.config.temporal));
  const client = new Client({ connection, namespace: stack.config.temporal.namespace });
  try {
    const run = async (title: string, files: readonly UploadFile[], perUpload: number) => {
      const collection = await stack.client.createCollection(title);
      const before = await heartbeats(stack);
      for (let start = 0; start < files.length; start += perUpload) {
        await stack.client.ingest(collection.id, files.slice(start, start + perUpload));
      }
      const usage = await usageIn(client, collection.id);
      print(title, files.length, { ...usage, heartbeats: (await heartbeats(stack)) - before });
    };
    await stack.client.ingest((await stack.client.createCollection('warm-up')).id, texts(80, TEXT_BYTES));
    await run('texts uploaded one by one', texts(Number(options.singles), TEXT_BYTES), 1);
    await run('texts in one upload', texts(Number(options.texts), TEXT_BYTES), PER);
    await run(
      `documents of ${DOCUMENT_BYTES} bytes in one upload`,
      texts(Number(options.documents), DOCUMENT_BYTES),
      PER,
    );
  } finally {
    await connection.close();
  }
});

function texts(count: number, bytes: number): UploadFile[] {
  return Array.from({ length: count }, (_, number) => ({
    name: `text-${bytes}-${number}.txt`,
    text: sampleText(number, bytes),
  }));
}

/** Adds up the histories of the workflows of a collection, after all of them have ended. */
async function usageIn(client: Client, collectionId: string): Promise<Usage> {
  const query = `LociCollection = '${collectionId}'`;
  for (;;) {
    const { count } = await client.workflow.count(`${query} and ExecutionStatus = 'Running'`);
    if (count === 0) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const usages = await pMap(
    client.workflow.list({ query }),
    async ({ workflowId, runId }) => usageOf(await client.workflow.getHandle(workflowId, runId).fetchHistory()),
    { concurrency: HISTORIES_AT_ONCE },
  );
  return usages.reduce(addUsage, NO_USAGE);
}

/** Heartbeats that have reached the server since it started: they are in no history. */
async function heartbeats({ servers }: BenchStack): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${servers.ports.temporalMetrics}/metrics`);
  const lines = (await response.text()).split('\n');
  const counts = lines.filter(
    (line) =>
      line.startsWith('service_requests{') &&
      line.includes('operation="RecordActivityTaskHeartbeat"') &&
      line.includes('service_name="frontend"'),
  );
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function print(title: string, documents: number, usage: Usage): void {
  const scaled = (count: number) => Math.round((count * PER) / documents).toLocaleString('en');
  const { actions, heartbeats: beats } = usage;
  const total = Object.values(actions).reduce((sum, count) => sum + count, 0) + beats;
  console.log(`\n## ${documents} ${title}; for ${PER} documents:`);
  console.log(`actions              ${scaled(total)}`);
  for (const [name, count] of Object.entries({ ...actions, heartbeats: beats })) {
    if (count > 0) console.log(`  ${name.padEnd(19)}${scaled(count)}`);
  }
  console.log(`workflows            ${scaled(usage.workflows)}`);
  console.log(`events of histories  ${scaled(usage.events)}`);
  console.log(`KB of histories      ${scaled(usage.bytes / 1_000)}`);
  console.log(`  lists of ids       ${scaled(usage.idBytes / 1_000)}`);
}
