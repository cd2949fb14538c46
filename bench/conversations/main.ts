/**
 * `npm run bench:memory-search [-- --dataset DIR]...`: documents of folders in BEIR's layout as memories of a user, by default
 * the turns of a small conversation; nDCG@10 and recall@10 of every retrieval method, without a chat model. The agentic methods
 * must not be worse than those that they build on.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { MAX_MEMORY_CHARACTERS, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { documentText, readBeirDataset, type BeirDataset } from '#bench/beir-dataset.ts';
import { withBenchStack, type BenchStack } from '#bench/bench-stack.ts';
import { ndcg, recall } from '#bench/ranking-quality.ts';
import { formatVerdict, median, milliseconds, percentile, timed } from '#bench/statistics.ts';

const DEPTH = 10;
const BATCH_SIZE = 500;
const METHODS = ['keyword', 'vector', 'hybrid'] as const;

const { values: options } = parseArgs({ options: { dataset: { type: 'string', multiple: true } } });
const folders = options.dataset ?? [import.meta.dirname];

type Quality = { ndcg: number; recall: number; latencies: number[] };
type Post = (path: string, body: object) => Promise<unknown>;

await withBenchStack({}, async (stack) => {
  const { post, close } = createPost(stack);
  for (const folder of folders) {
    const dataset = await readBeirDataset(folder);
    const user_id = basename(folder);
    console.log(`\n## ${user_id}: ${dataset.documents.length} memories, ${dataset.queries.length} questions\n`);
    await remember(post, user_id, dataset);
    console.log('| method | plain | agentic |\n| --- | --- | --- |');
    const verdicts: string[] = [];
    for (const method of METHODS) {
      const plain = await evaluate(post, { user_id, retrieval_method: method }, dataset);
      const agentic = await evaluate(post, { user_id, retrieval_method: `agentic_${method}` }, dataset);
      console.log(`| ${method} | ${formatQuality(plain)} | ${formatQuality(agentic)} |`);
      const what = `agentic_${method} / ${method}, nDCG@10`;
      verdicts.push(formatVerdict(what, agentic.ndcg / plain.ndcg, { atLeast: 1 }));
    }
    console.log(`\n${verdicts.join('\n')}`);
  }
  await close();
});

/** Creates the memories in the order of the documents, and waits until they are indexed. */
async function remember(post: Post, user_id: string, { documents }: BeirDataset): Promise<void> {
  const memories = documents
    .map((document) => ({
      user_id,
      memory: documentText(document).slice(0, MAX_MEMORY_CHARACTERS),
      metadata: { document: document.id },
    }))
    .filter(({ memory }) => memory.trim() !== '');
  for (let start = 0; start < memories.length; start += BATCH_SIZE) {
    await post('/memories/batch', { memories: memories.slice(start, start + BATCH_SIZE) });
  }
}

async function evaluate(post: Post, search: object, dataset: BeirDataset): Promise<Quality> {
  const total: Quality = { ndcg: 0, recall: 0, latencies: [] };
  for (const { id, text: query } of dataset.queries) {
    const relevance = dataset.relevance.get(id) ?? new Map<string, number>();
    const { result, elapsedMs } = await timed(() => post('/memories/search', { ...search, query, limit: DEPTH }));
    const ranking = SearchMemoriesResponse.parse(result).memories.map(({ metadata }) => String(metadata['document']));
    total.latencies.push(elapsedMs);
    total.ndcg += ndcg(ranking, relevance, DEPTH) / dataset.queries.length;
    total.recall += recall(ranking, relevance, DEPTH) / dataset.queries.length;
  }
  return total;
}

function formatQuality({ ndcg: gain, recall: found, latencies }: Quality): string {
  const [p50, p95] = [median(latencies), percentile(latencies, 0.95)].map(milliseconds);
  return `nDCG@10 ${gain.toFixed(4)}, recall@10 ${found.toFixed(4)}, p50 ${p50}, p95 ${p95}`;
}

function createPost({ servers, apiKey }: BenchStack): { post: Post; close: () => Promise<void> } {
  const pool = new Pool(`http://127.0.0.1:${servers.ports.api}`, { connections: 4, headersTimeout: 120_000 });
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  const post: Post = async (path, body) => {
    const request = { method: 'POST' as const, path: `/api/v1${path}`, headers, body: JSON.stringify(body) };
    const answer = await pool.request(request);
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path} returned ${answer.statusCode}: ${text}`);
    if (answer.headers['loci-indexing'] !== undefined) throw new Error('memories are not indexed in time');
    return JSON.parse(text);
  };
  return { post, close: () => pool.close() };
}
