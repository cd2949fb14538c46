/**
 * `npm run bench:ingest [-- --dataset DIR --texts 5000 --rounds 1 --only documents|texts]`: compares an ingestion over the HTTP
 * API, from the upload to the last ready content, with the slowest of its stages alone, on the same files in the same run. Also
 * prints the CPU time of the service for each text, without that of embedding (Linux only).
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { cpuTimeOf } from './cpu-time.ts';
import { sampleText } from './sample-texts.ts';
import { type LocalFile, measureStagesAlone, type StageTimes } from './stages-alone.ts';
import { median, seconds, timed, formatVerdict } from './statistics.ts';

const TEXT_BYTES = 200;
const MAX_OTHER_CPU_MS = 4;
/** Number and size of the documents that are generated without `--dataset`. */
const DOCUMENTS = 60;
const DOCUMENT_BYTES = 12_000;

const { values: options } = parseArgs({
  options: {
    dataset: { type: 'string' },
    texts: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'loci-bench-files-'));
try {
  await withBenchStack({}, async (stack) => {
    if (options.only !== 'texts') {
      const documents = options.dataset ? await filesIn(options.dataset) : await makeTexts(DOCUMENTS, DOCUMENT_BYTES);
      const title = options.dataset ? `the documents of ${basename(options.dataset)}` : 'generated documents';
      await measure(stack, { title, files: documents, goal: 0.85, maxOtherCpuMs: null });
    }
    if (options.only === 'documents') return;
    const texts = await makeTexts(Number(options.texts), TEXT_BYTES);
    const title = `texts of ${TEXT_BYTES} bytes`;
    await measure(stack, { title, files: texts, goal: 0.75, maxOtherCpuMs: MAX_OTHER_CPU_MS });
  });
} finally {
  await rm(folder, { recursive: true });
}

type Measurement = {
  title: string;
  files: readonly LocalFile[];
  goal: number;
  /** CPU time of a file besides embedding; null if there is no goal for it. */
  maxOtherCpuMs: number | null;
};

async function measure(stack: BenchStack, { title, files, goal, maxOtherCpuMs }: Measurement): Promise<void> {
  console.log(`\n## ${files.length} files: ${title}`);
  const ratios: number[] = [];
  const otherCpu: number[] = [];
  for (let round = 1; round <= Number(options.rounds) && files.length > 0; round += 1) {
    // Before and after, so that a temporarily slower machine does not favour either side.
    const before = await measureAlone(stack, files);
    const whole = await ingestAll(stack, files);
    const after = await measureAlone(stack, files);
    const slowest = Math.min(slowestOf(before), slowestOf(after));
    ratios.push(slowest / whole.elapsedMs);
    console.log(`alone before: ${describe(before)}\nalone after:  ${describe(after)}`);
    const { ready, failed, refused, chunks } = whole.result;
    otherCpu.push((whole.cpuMs - Math.min(before.embeddingCpu, after.embeddingCpu)) / files.length);
    console.log(
      `end to end:   ${seconds(whole.elapsedMs)}, ${chunks} chunks; ${ready} ready, ${failed} failed, ${refused} rejected`,
    );
  }
  console.log(formatVerdict('slowest stage alone / end to end', median(ratios), { atLeast: goal }));
  if (maxOtherCpuMs === null) return;
  console.log(formatVerdict('CPU ms a file besides embedding', median(otherCpu), { atMost: maxOtherCpuMs }));
}

function slowestOf({ reading, embedding, writing }: StageTimes): number {
  return Math.max(reading, embedding, writing);
}

function describe({ reading, embedding, writing, chunks }: StageTimes): string {
  return `reading ${seconds(reading)}, embedding ${seconds(embedding)}, index writes ${seconds(writing)}; ${chunks} chunks`;
}

/** Measures the stages while API and worker are stopped. */
async function measureAlone(stack: BenchStack, files: readonly LocalFile[]): Promise<StageTimes> {
  await stack.services.worker.stop();
  await stack.services.api.stop();
  return measureStagesAlone(stack.config, files);
}

async function ingestAll(stack: BenchStack, files: readonly LocalFile[]) {
  await Promise.all([stack.services.api.start(), stack.services.worker.start()]);
  // Warm-up: child processes, their tokenizers, connections, compiled code.
  const warmUp = await stack.client.createCollection('warm-up');
  const few = Array.from({ length: 80 }, (_, number) => ({ name: `${number}.txt`, text: sampleText(number, 400) }));
  await stack.client.ingest(warmUp.id, few);
  const collection = await stack.client.createCollection('ingestion');
  const cpuBefore = await cpuTimeOf(stack);
  const whole = await timed(() => stack.client.ingest(collection.id, files));
  return { ...whole, cpuMs: (await cpuTimeOf(stack)) - cpuBefore };
}

/** Lists all files below a folder, named by their path. */
async function filesIn(dataset: string): Promise<LocalFile[]> {
  const entries = await readdir(dataset, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ path, name: relative(dataset, path).replaceAll(/[\\/]/g, '_') }));
}

async function makeTexts(count: number, bytes: number): Promise<LocalFile[]> {
  const files = Array.from({ length: count }, (_, number) => {
    const name = `text-${bytes}-${number}.txt`;
    return { name, path: join(folder, name) };
  });
  for (const [number, { path }] of files.entries()) await writeFile(path, sampleText(number, bytes));
  return files;
}
