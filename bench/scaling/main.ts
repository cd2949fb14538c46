/**
 * `npm run bench:scaling [-- --documents 600 --delay-ms 1000 --workers 1,2,4 --uploads 1,8]`: ingestion with 1, 2 and 4 worker
 * processes against an embedding server that takes the same time for each call, so that the workers share waiting, and not the
 * processors of this machine. All of them ingest as many documents, as one upload and as eight at the same time. The time counts
 * from the answer to the last upload to the last document that is ready.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { cpuTimeOf } from '#bench/cpu-time.ts';
import { sampleText } from '#bench/sample-texts.ts';
import type { UploadFile } from '#bench/service-client.ts';
import { formatVerdict, seconds, timed } from '#bench/statistics.ts';
import { startSecondProcess, type SecondProcess } from '#test/support/harness/second-process.ts';
import { startConstantServer } from './constant-server.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '600' },
    'delay-ms': { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1,2,4' },
    uploads: { type: 'string', default: '1,8' },
  },
});

const DIMENSIONS = 384;
const DOCUMENT_BYTES = 12_000;
/** Throughput of so many workers, compared with one. */
const GOALS = new Map([
  [2, 1.9],
  [4, 3.5],
]);

const server = await startConstantServer({ delayMs: Number(options['delay-ms']), dimensions: DIMENSIONS });
try {
  const settings = {
    LOCI_EMBEDDER: 'openai',
    LOCI_EMBEDDER_MODEL: 'constant-time',
    LOCI_OPENAI_BASE_URL: server.url,
    LOCI_OPENAI_DIMENSIONS: String(DIMENSIONS),
    LOCI_OPENAI_API_KEY: 'worker-1',
  };
  await withBenchStack(settings, measureAll);
} finally {
  server.close();
}

type Running = { stack: BenchStack; others: SecondProcess[] };

async function measureAll(stack: BenchStack): Promise<void> {
  console.log(
    `${options.documents} documents of ${DOCUMENT_BYTES} bytes, ${options['delay-ms']} ms for each embedding call`,
  );
  const running: Running = { stack, others: [] };
  const alone = new Map<number, number>();
  for (const workers of options.workers.split(',').map(Number)) {
    await startWorkers(running, workers);
    await ingest(running, { documents: 40 * workers, uploads: 2 * workers });
    for (const uploads of options.uploads.split(',').map(Number)) {
      const rate = await measure(running, { workers, uploads });
      if (workers === 1) alone.set(uploads, rate);
      const atLeast = GOALS.get(workers);
      const rateAlone = alone.get(uploads);
      if (atLeast !== undefined && rateAlone !== undefined) {
        console.log(formatVerdict(`${nameOf(uploads)}: ${workers} workers / 1 worker`, rate / rateAlone, { atLeast }));
      }
    }
  }
  await Promise.all(running.others.map((worker) => worker.stop()));
}

/** Starts workers beside that of the stack, until there are so many. */
async function startWorkers({ stack: { servers }, others }: Running, count: number): Promise<void> {
  const stack = { environment: servers.environment, stateDir: servers.context.stateDir };
  while (others.length + 1 < count) {
    const name = `worker-${others.length + 2}`;
    const environment = { LOCI_OPENAI_API_KEY: name };
    others.push(await startSecondProcess(stack, { kind: 'worker', name, environment }));
  }
}

/** Returns the documents in a second. */
async function measure(running: Running, { workers, uploads }: { workers: number; uploads: number }): Promise<number> {
  const documents = Number(options.documents);
  server.takeCalls();
  const { elapsedMs, cpuMs } = await ingest(running, { documents, uploads });
  const rate = (documents * 1000) / elapsedMs;
  const calls = [...server.takeCalls()].toSorted(([one], [other]) => one.localeCompare(other));
  console.log(
    `${workers} workers, ${nameOf(uploads)}: ${seconds(elapsedMs)}, ${rate.toFixed(2)} documents/s; ` +
      `${(cpuMs / elapsedMs).toFixed(2)} of ${availableParallelism()} cores, ${(cpuMs / documents).toFixed(1)} ms a document; ` +
      `calls: ${calls.map(([name, count]) => `${name} ${count}`).join(', ')}`,
  );
  return rate;
}

/** Uploads the documents in several uploads, and measures from the last answer until all documents are ready. */
async function ingest(
  { stack, others }: Running,
  { documents, uploads }: { documents: number; uploads: number },
): Promise<{ elapsedMs: number; cpuMs: number }> {
  const collection = await stack.client.createCollection(`scaling ${documents} ${uploads}`);
  const files = Array.from({ length: documents }, (_, number) => makeDocument(number));
  const size = Math.ceil(documents / uploads);
  const parts = Array.from({ length: uploads }, (_, part) => files.slice(part * size, (part + 1) * size));
  const accepted = await Promise.all(parts.map((part) => stack.client.upload(collection.id, part)));
  const cpuTime = () =>
    cpuTimeOf(
      stack,
      others.map(({ pid }) => pid),
    );
  const cpuBefore = await cpuTime();
  const { result, elapsedMs } = await timed(() =>
    Promise.all(accepted.flatMap(({ upload_id: id }) => (id === null ? [] : [stack.client.settled(id)]))),
  );
  const ready = result.reduce((sum, upload) => sum + (upload.progress.by_status['ready'] ?? 0), 0);
  if (ready !== documents) throw new Error(`${ready} of ${documents} documents are ready: ${JSON.stringify(result)}`);
  return { elapsedMs, cpuMs: (await cpuTime()) - cpuBefore };
}

function makeDocument(number: number): UploadFile {
  return { name: `document-${number}.txt`, text: sampleText(number, DOCUMENT_BYTES) };
}

function nameOf(uploads: number): string {
  return uploads === 1 ? 'one upload' : `${uploads} uploads`;
}
