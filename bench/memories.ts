/**
 * `npm run bench:memories [-- --count 1000 --batches 3 --embedder lexical]`: memories that become searchable per second, written
 * one by one with 1, 4 and 16 clients, and in batches of 1,000, compared with embedding the same texts alone in this process.
 */
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { SearchMemoriesResponse } from '#domain/records/memory.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { sampleText } from './sample-texts.ts';
import { formatVerdict, milliseconds, percentile, timed } from './statistics.ts';

const CLIENTS = [1, 4, 16];
const GOALS = { single: 150, batched: 400 };
/** About twenty words. */
const TEXT_BYTES = 130;
const BATCH_SIZE = 1_000;
const WARM_UPS = 50;
const EMBEDDER_WARM_UPS = 500;
/** Memories of each measurement that are searched for afterwards. */
const SEARCHED = 10;
const SEARCH_METHODS = ['keyword', 'vector'];

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    batches: { type: 'string', default: '3' },
    embedder: { type: 'string', default: 'local' },
  },
});
const count = Number(options.count);

type Writer = ReturnType<typeof createWriter>;
/** Writes all texts and returns the duration of each request in milliseconds. */
type Write = (writer: Writer, texts: readonly string[]) => Promise<number[]>;

let textsMade = 0;

await withBenchStack({ LOCI_EMBEDDER: options.embedder }, async (stack) => {
  const writer = createWriter(stack);
  await writeSingly(4)(writer, makeTexts(WARM_UPS));
  for (const clients of CLIENTS) {
    const title = `${count} single writes, ${clients} client${clients === 1 ? '' : 's'}`;
    const goal = clients === 1 ? null : GOALS.single;
    await measure({ stack, writer }, { title, texts: makeTexts(count), write: writeSingly(clients), goal });
  }
  const batches = Number(options.batches);
  if (batches > 0) {
    const texts = makeTexts(batches * BATCH_SIZE);
    await measure(
      { stack, writer },
      { title: `${batches} batches of 1,000`, texts, write: writeBatches, goal: GOALS.batched },
    );
  }
  await writer.close();
});

function makeTexts(number: number): string[] {
  return Array.from({ length: number }, () => sampleText((textsMade += 1), TEXT_BYTES));
}

/** Measures one way of writing. Embedding alone is measured before and after it, and the faster time counts. */
async function measure(
  { stack, writer }: { stack: BenchStack; writer: Writer },
  { title, texts, write, goal }: { title: string; texts: readonly string[]; write: Write; goal: number | null },
): Promise<void> {
  console.log(`\n## ${title}`);
  const before = await embedAlone(stack, texts);
  const { result: times, elapsedMs } = await timed(() => write(writer, texts));
  const after = await embedAlone(stack, texts);
  const alone = perSecond(texts.length, Math.min(before, after));
  const written = perSecond(texts.length, elapsedMs);
  console.log(`embedding alone: ${alone.toFixed(0)} per second`);
  console.log(`a request: p50 ${milliseconds(percentile(times, 0.5))}, p95 ${milliseconds(percentile(times, 0.95))}`);
  const missing = await countMissing(writer, texts);
  console.log(`answered before they were indexed: ${writer.takePending()}; not found afterwards: ${missing}`);
  console.log(`written / embedded alone: ${(written / alone).toFixed(3)}`);
  const what = 'memories per second';
  console.log(goal === null ? `${what}: ${written.toFixed(0)}` : formatVerdict(what, written, { atLeast: goal }));
}

function perSecond(items: number, elapsedMs: number): number {
  return (items * 1_000) / elapsedMs;
}

/** Milliseconds for all texts in one call, after a warm-up, with the embedder and the settings of the API. */
async function embedAlone({ config }: BenchStack, texts: readonly string[]): Promise<number> {
  const embedders = await createEmbedders({ ...config.embedder, named: [], cacheDir: config.cacheDir });
  try {
    // Threads of the embedder start with the first texts that wait for one.
    await embedders.preferred.embed(makeTexts(EMBEDDER_WARM_UPS), 'document');
    return (await timed(() => embedders.preferred.embed(texts, 'document'))).elapsedMs;
  } finally {
    await embedders.close();
  }
}

/** The returned function lets each client write its next memory after the response to the previous one. */
function writeSingly(clients: number): Write {
  return async (writer, texts) => {
    const times: number[] = [];
    const left = texts.values();
    const client = async (): Promise<void> => {
      for (const memory of left) {
        const body = { user_id: 'bench', memory };
        times.push((await timed(() => writer.post('/memories', body))).elapsedMs);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return times;
  };
}

async function writeBatches(writer: Writer, texts: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (let start = 0; start < texts.length; start += BATCH_SIZE) {
    const memories = texts.slice(start, start + BATCH_SIZE).map((memory) => ({ user_id: 'bench', memory }));
    times.push((await timed(() => writer.post('/memories/batch', { memories }))).elapsedMs);
  }
  return times;
}

/** Searches for some of the texts by their words and by their meaning, and returns how many searches do not find the text. */
async function countMissing(writer: Writer, texts: readonly string[]): Promise<number> {
  let missing = 0;
  for (let place = 0; place < texts.length; place += Math.ceil(texts.length / SEARCHED)) {
    const text = texts[place] ?? '';
    for (const retrieval_method of SEARCH_METHODS) {
      const body = { query: text, user_id: 'bench', retrieval_method, limit: 10 };
      const { memories } = SearchMemoriesResponse.parse(await writer.post('/memories/search', body));
      if (!memories.some(({ memory }) => memory === text)) missing += 1;
    }
  }
  return missing;
}

function createWriter({ servers, apiKey }: BenchStack) {
  const pool = new Pool(`http://127.0.0.1:${servers.ports.api}`, { connections: Math.max(...CLIENTS) });
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  let pending = 0;
  return {
    async post(path: string, body: object): Promise<unknown> {
      const request = { method: 'POST' as const, path: `/api/v1${path}`, headers, body: JSON.stringify(body) };
      const answer = await pool.request(request);
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${path} returned ${answer.statusCode}: ${text}`);
      if (answer.headers['loci-indexing'] !== undefined) pending += 1;
      return JSON.parse(text);
    },
    /** Number of responses with `Loci-Indexing: pending` since the last call. */
    takePending(): number {
      const taken = pending;
      pending = 0;
      return taken;
    },
    close: () => pool.close(),
  };
}
