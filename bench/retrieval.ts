/**
 * `npm run bench:retrieval -- --dataset DIR [--rerank 30]`: measures nDCG@10 and recall@10 of every search type through the whole
 * service, on a folder in BEIR's layout, and of Weaviate alone with vectors of the same model, in the same run. The service orders
 * hybrid hits by similar ones; the ratio at the end says what that changes. With `--rerank`, also with the best hits reranked by the
 * model of LOCI_RERANK_BASE_URL or LOCI_RERANK_FOLDER, and how long both take.
 */
import { parseArgs } from 'node:util';
import { type SearchType, SEARCH_TYPES } from '#domain/records/search.ts';
import { type BeirDataset, documentText, readBeirDataset } from './beir-dataset.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { measureAlternately } from './measure-alternately.ts';
import { ndcg, recall } from './ranking-quality.ts';
import { compareReranking } from './rerank-quality.ts';
import { formatVerdict, median, milliseconds, percentile, timed } from './statistics.ts';
import { openWeaviateAlone } from './weaviate-alone.ts';

const DEPTH = 10;
/** Number of requested chunks; enough for ten documents when several chunks belong to the same document. */
const CHUNK_LIMIT = 50;

const { values: options } = parseArgs({ options: { dataset: { type: 'string' }, rerank: { type: 'string' } } });
if (options.dataset === undefined)
  throw new Error(
    'Usage: npm run bench:retrieval -- --dataset DIR, where DIR contains corpus.jsonl, queries.jsonl and qrels/test.tsv.',
  );
const dataset = await readBeirDataset(options.dataset);

/** Returns unique document ids, best first. */
type Rank = (query: string, type: SearchType) => Promise<string[]>;

const MIN_SCORE = 0.5;
/** Queries about nothing in either set. */
const NONSENSE = [
  'purple giraffe banana tax refund',
  'asdf qwer zxcv poiu',
  'best pizza recipe with mushrooms',
  'blorptastic snickerdoodle umbrella',
  'cheap flights to barcelona in summer',
  'my cat refuses to eat dry food',
  'wedding dress shopping tips',
  'symptoms of the common cold in toddlers',
  'how to knit a wool sweater',
  'lyrics of the song yesterday',
  'gardening tomatoes in clay soil',
  'history of the ottoman empire',
];

await withBenchStack({}, async (stack) => {
  console.log(`${dataset.documents.length} documents, ${dataset.queries.length} queries`);
  await using alone = await openWeaviateAlone(stack.config, dataset.documents);
  const defaults = await evaluate((query) => alone.rankByDefaults(query, DEPTH), 'hybrid');
  const baseline: Record<string, Quality> = {};
  for (const type of SEARCH_TYPES)
    baseline[type] = await evaluate((query) => alone.rank(query, type, { limit: DEPTH }), type);
  const rank = await createServiceRanking(stack);
  const service: Record<string, Quality> = {};
  for (const type of SEARCH_TYPES) service[type] = await evaluate(rank.rank, type);
  console.log(`\n| search | Weaviate alone | the service |\n|---|---|---|`);
  console.log(`| hybrid, Weaviate's defaults | ${formatQuality(defaults)} | |`);
  for (const type of SEARCH_TYPES)
    console.log(`| ${type} | ${formatQuality(baseline[type])} | ${formatQuality(service[type])} |`);
  await compareLatency(alone);
  await evaluateThreshold(stack, rank.collectionId);
  if (options.rerank !== undefined) {
    await compareReranking(stack, { dataset, collectionId: rank.collectionId, depth: Number(options.rerank) });
  }
  const goal = baseline['hybrid']?.ndcg ?? NaN;
  console.log(
    formatVerdict('hybrid nDCG@10, service / Weaviate alone', (service['hybrid']?.ndcg ?? NaN) / goal, { atLeast: 1 }),
  );
});

/** What ordering hits by similar ones costs in the index, for the queries of the set. */
async function compareLatency(alone: Awaited<ReturnType<typeof openWeaviateAlone>>): Promise<void> {
  const texts = { plain: dataset.queries.values(), regularized: dataset.queries.values() };
  const search = (side: 'plain' | 'regularized') => async () => {
    let next = texts[side].next();
    if (next.done) next = (texts[side] = dataset.queries.values()).next();
    await alone.rank(next.value?.text ?? '', 'hybrid', { limit: DEPTH, regularize: side === 'regularized' });
  };
  const sides = { plain: search('plain'), regularized: search('regularized') };
  const times = await measureAlternately(sides, { clients: 1, count: dataset.queries.length });
  for (const share of [0.5, 0.95]) {
    const ratio = percentile(times.regularized, share) / percentile(times.plain, share);
    console.log(formatVerdict(`hybrid p${share * 100}, ordered by similar hits / plain`, ratio, { atMost: 1.6 }));
  }
}

type Quality = { ndcg: number; recall: number; latencies: number[] };

async function evaluate(rank: Rank, type: SearchType): Promise<Quality> {
  const total: Quality = { ndcg: 0, recall: 0, latencies: [] };
  for (const { id, text } of dataset.queries) {
    const relevance = dataset.relevance.get(id) ?? new Map<string, number>();
    const { result: ranking, elapsedMs } = await timed(async () => rank(text, type));
    total.latencies.push(elapsedMs);
    total.ndcg += ndcg(ranking, relevance, DEPTH);
    total.recall += recall(ranking, relevance, DEPTH);
  }
  const count = dataset.queries.length;
  return { ...total, ndcg: total.ndcg / count, recall: total.recall / count };
}

function formatQuality(quality: Quality | undefined): string {
  if (!quality) return '';
  const [p50, p95] = [median(quality.latencies), percentile(quality.latencies, 0.95)].map(milliseconds);
  return `nDCG@10 ${quality.ndcg.toFixed(3)}, recall@10 ${quality.recall.toFixed(3)}, p50 ${p50}, p95 ${p95}`;
}

/** Ingests each document as a text file named by its id; a document is ranked by its best chunk. */
async function createServiceRanking(stack: BenchStack): Promise<{ rank: Rank; collectionId: string }> {
  const collection = await stack.client.createCollection('retrieval');
  const files = nonEmptyDocuments(dataset).map(({ id, text }) => ({ name: `${id}.txt`, text }));
  const result = await stack.client.ingest(collection.id, files);
  console.log(`the service: ${JSON.stringify(result)}; ${dataset.documents.length - files.length} documents are empty`);
  const rank: Rank = async (query, type) => {
    const { results } = await stack.client.search({ collectionId: collection.id, query, type, limit: CHUNK_LIMIT });
    return [...new Set(results.map(({ source }) => source.replace(/\.txt$/, '')))];
  };
  return { rank, collectionId: collection.id };
}

/** How many queries have results above a relevance, of the set and of nonsense, and how many relevant results stay. */
async function evaluateThreshold(stack: BenchStack, collectionId: string): Promise<void> {
  console.log(
    `\n| search, min_score ${MIN_SCORE} | queries answered | relevant of the first 10 kept | nonsense answered |`,
  );
  console.log('| --- | --- | --- | --- |');
  for (const search_type of SEARCH_TYPES) {
    const ask = async (query: string, asked: object) =>
      (await stack.client.searchWith({ collection_id: collectionId, query, search_type, ...asked })).results;
    let [answered, relevant, kept, nonsense] = [0, 0, 0, 0];
    for (const { id, text } of dataset.queries) {
      const isRelevant = ({ source }: { source: string }) =>
        (dataset.relevance.get(id)?.get(source.replace(/\.txt$/, '')) ?? 0) > 0;
      const above = await ask(text, { min_score: MIN_SCORE });
      if (above.length > 0) answered += 1;
      kept += above.filter(isRelevant).length;
      relevant += (await ask(text, {})).filter(isRelevant).length;
    }
    for (const query of NONSENSE) if ((await ask(query, { min_score: MIN_SCORE })).length > 0) nonsense += 1;
    const share = (answered / dataset.queries.length).toFixed(3);
    console.log(
      `| ${search_type} | ${share} | ${(kept / Math.max(relevant, 1)).toFixed(3)} | ${nonsense} of ${NONSENSE.length} |`,
    );
  }
}

function nonEmptyDocuments({ documents }: BeirDataset) {
  return documents
    .map((document) => ({ id: document.id, text: documentText(document) }))
    .filter(({ text }) => text.trim() !== '');
}
