/**
 * `npm run bench:memory [-- --file-mib 500 --text-mib 20]`: measures the peak resident memory of API and worker while a large
 * file is uploaded (`ingest=false`), while a large text is ingested with the `lexical` embedder, and while webhook receivers respond
 * with one gibibyte each. Linux only: it reads `/proc`.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { sampleText } from '#bench/sample-texts.ts';
import { mebibytes, seconds, timed, formatVerdict } from '#bench/statistics.ts';
import { formatPeaks, resetPeaks, readPeaks, type Peaks } from './peaks.ts';
import { deliverWithResponses, RECEIVER_ADDRESS } from './webhook-responses.ts';

const GOAL_MIB = 400;
const MIB = 1024 * 1024;

const { values: options } = parseArgs({
  options: { 'file-mib': { type: 'string', default: '500' }, 'text-mib': { type: 'string', default: '20' } },
});
const fileBytes = Number(options['file-mib']) * MIB;
const textBytes = Number(options['text-mib']) * MIB;

const folder = await mkdtemp(join(tmpdir(), 'loci-bench-files-'));
try {
  const settings = {
    LOCI_EMBEDDER: 'lexical',
    LOCI_MAX_FILE_BYTES: String(fileBytes + MIB),
    LOCI_EGRESS_ALLOW: RECEIVER_ADDRESS,
  };
  await withBenchStack(settings, async (stack) => {
    console.log(`at rest: ${formatPeaks(await readPeaks(stack))}`);
    await compare(stack, { what: 'uploaded', bytes: fileBytes, fields: { ingest: 'false' } });
    await compare(stack, { what: 'ingested', bytes: textBytes, fields: {} });
    await compareWebhookResponses(stack);
  });
} finally {
  await rm(folder, { recursive: true });
}

type Load = { what: string; bytes: number; fields: Record<string, string> };

/** Measures a quarter of a load, then the whole load: with bounded memory, both have the same peak. */
async function compare(stack: BenchStack, load: Load): Promise<void> {
  const quarter = await measure(stack, { ...load, bytes: Math.ceil(load.bytes / 4) });
  const whole = await measure(stack, load);
  for (const name of ['api', 'worker'] as const) {
    console.log(`peak of ${name}, whole / quarter: ${(whole[name] / quarter[name]).toFixed(3)} (flat: 1)`);
    console.log(formatVerdict(`peak of ${name}, MiB`, Math.round(whole[name] / MIB), { atMost: GOAL_MIB }));
  }
}

/** Measures deliveries to receivers with empty responses, then the same number with responses of one gibibyte. */
async function compareWebhookResponses(stack: BenchStack): Promise<void> {
  const peakOfWorker = async (bytes: number) => {
    await resetPeaks(stack);
    const { result: sentBytes, elapsedMs } = await timed(() => deliverWithResponses(stack, bytes));
    const found = await readPeaks(stack);
    const summary = `${mebibytes(bytes)} per response, ${mebibytes(sentBytes)} read in total`;
    console.log(`\n## webhooks, ${summary}, in ${seconds(elapsedMs)}\n${formatPeaks(found)}`);
    return found.worker;
  };
  const little = await peakOfWorker(0);
  const much = await peakOfWorker(1024 * MIB);
  console.log(`peak of worker, responses of 1 GiB / empty responses: ${(much / little).toFixed(3)} (flat: 1)`);
  console.log(formatVerdict('peak of worker, MiB', Math.round(much / MIB), { atMost: GOAL_MIB }));
}

async function measure(stack: BenchStack, { what, bytes, fields }: Load): Promise<Peaks> {
  const title = `${mebibytes(bytes)} ${what}`;
  const path = join(folder, 'large.txt');
  await pipeline(Readable.from(textOf(bytes)), createWriteStream(path));
  const collection = await stack.client.createCollection(title);
  await resetPeaks(stack);
  const { result, elapsedMs } = await timed(async () => {
    const { upload_id: uploadId } = await stack.client.upload(collection.id, [{ name: 'large.txt', path }], fields);
    if (uploadId === null) throw new Error(`${title}: the file was rejected`);
    return stack.client.settled(uploadId);
  });
  const found = await readPeaks(stack);
  console.log(
    `\n## ${title} in ${seconds(elapsedMs)}: ${JSON.stringify(result.progress.by_status)}, ${result.progress.chunks} chunks`,
  );
  console.log(formatPeaks(found));
  return found;
}

/** Yields the paragraphs of a text of `bytes` bytes. */
function* textOf(bytes: number): Generator<string> {
  let left = bytes;
  for (let number = 0; left > 0; number += 1) {
    const paragraph = `${sampleText(number, 1_000)}\n\n`.slice(0, left);
    left -= paragraph.length;
    yield paragraph;
  }
}
