/**
 * `npm run bench:memory [-- --file-mib 500 --text-mib 20]`: the most resident memory that API and worker ever take while a large
 * file is uploaded (`ingest=false`) and while a large text is ingested with the `lexical` embedder. Linux only: it reads `/proc`.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { sampleText } from './sample-texts.ts';
import { mebibytes, seconds, timed, verdict } from './statistics.ts';

const GOAL_MIB = 400;
const MIB = 1024 * 1024;

const { values: options } = parseArgs({
  options: { 'file-mib': { type: 'string', default: '500' }, 'text-mib': { type: 'string', default: '20' } },
});
const fileBytes = Number(options['file-mib']) * MIB;
const textBytes = Number(options['text-mib']) * MIB;

const folder = await mkdtemp(join(tmpdir(), 'loci-bench-files-'));
try {
  const settings = { LOCI_EMBEDDER: 'lexical', LOCI_MAX_FILE_BYTES: String(fileBytes + MIB) };
  await withBenchStack(settings, async (stack) => {
    console.log(`at rest: ${describe(await peaks(stack))}`);
    await compare(stack, { what: 'uploaded', bytes: fileBytes, fields: { ingest: 'false' } });
    await compare(stack, { what: 'ingested', bytes: textBytes, fields: {} });
  });
} finally {
  await rm(folder, { recursive: true });
}

type Load = { what: string; bytes: number; fields: Record<string, string> };

/** A quarter of a load, then the whole of it: where memory is bounded, both take the same. */
async function compare(stack: BenchStack, load: Load): Promise<void> {
  const quarter = await measure(stack, { ...load, bytes: Math.ceil(load.bytes / 4) });
  const whole = await measure(stack, load);
  for (const name of ['api', 'worker'] as const) {
    console.log(`peak of ${name}, whole / quarter: ${(whole[name] / quarter[name]).toFixed(3)} (flat: 1)`);
    console.log(verdict(`peak of ${name}, MiB`, Math.round(whole[name] / MIB), { atMost: GOAL_MIB }));
  }
}

async function measure(stack: BenchStack, { what, bytes, fields }: Load): Promise<Peaks> {
  const title = `${mebibytes(bytes)} ${what}`;
  const path = join(folder, 'large.txt');
  await pipeline(Readable.from(textOf(bytes)), createWriteStream(path));
  const collection = await stack.client.createCollection(title);
  await forgetPeaks(stack);
  const { result, elapsedMs } = await timed(async () => {
    const { upload_id: uploadId } = await stack.client.upload(collection.id, [{ name: 'large.txt', path }], fields);
    if (uploadId === null) throw new Error(`${title}: the file was not taken`);
    return stack.client.settled(uploadId);
  });
  const found = await peaks(stack);
  console.log(
    `\n## ${title} in ${seconds(elapsedMs)}: ${JSON.stringify(result.progress.by_status)}, ${result.progress.chunks} chunks`,
  );
  console.log(describe(found));
  return found;
}

type Peaks = { api: number; worker: number; readers: number[] };

/** The highest resident sizes since they were last forgotten, in bytes; of the reading processes that are there now, too. */
async function peaks(stack: BenchStack): Promise<Peaks> {
  const worker = pidOf(stack, 'worker');
  const readers = await Promise.all((await childrenOf(worker)).map(peakOf));
  return { api: await peakOf(pidOf(stack, 'api')), worker: await peakOf(worker), readers };
}

function describe({ api, worker, readers }: Peaks): string {
  const children = readers.length === 0 ? '' : `, its reading processes ${readers.map(mebibytes).join(' and ')}`;
  return `API ${mebibytes(api)}, worker ${mebibytes(worker)}${children}`;
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

async function forgetPeaks(stack: BenchStack): Promise<void> {
  // 5: the kernel's "reset the peak resident set size".
  for (const name of ['api', 'worker'] as const) await writeFile(`/proc/${pidOf(stack, name)}/clear_refs`, '5');
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
}

function pidOf(stack: BenchStack, name: 'api' | 'worker'): number {
  const pid = stack.services[name].pid();
  if (pid === null) throw new Error(`the ${name} does not run`);
  return pid;
}

/** A text of paragraphs, made as it is written. */
function* textOf(bytes: number): Generator<string> {
  let left = bytes;
  for (let number = 0; left > 0; number += 1) {
    const paragraph = `${sampleText(number, 1_000)}\n\n`.slice(0, left);
    left -= paragraph.length;
    yield paragraph;
  }
}
