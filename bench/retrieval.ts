/**
 * `npm run bench:retrieval -- --dataset DIR`: measures nDCG@10 and recall@10 of every search type through the whole service, on a
 * folder in BEIR's layout, and of Weaviate alone with vectors of the same model, in the same run.
 */
import { parseArgs } from 'node:util';
import { type SearchType, SEARCH_TYPES } from '#domain/records/search.ts';
import { type BeirDataset, documentText, readBeirDataset } from './beir-dataset.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { ndcg, recall } from './ranking-quality.ts';
import { formatVerdict } from './statistics.ts';
import { openWeaviateAlone } from './weaviate-alone.ts';

const DEPTH = 10;
/** Number of requested chunks; enough for ten documents when several chunks belong to the same document. */
const CHUNK_LIMIT = 50;

const { values: options } = parseArgs({ options: { dataset: { type: 'string' } } });
if (options.dataset === undefined)
  throw new Error(
    'Usage: npm run bench:retrieval -- --dataset DIR, where DIR contains corpus.jsonl, queries.jsonl and qrels/test.tsv.',
  );
const dataset = await readBeirDataset(options.dataset);

/** Returns unique document ids, best first. */
type Rank = (query: string, type: SearchType) => Promise<string[]>;

await withBenchStack({}, async (stack) => {
  console.log(`${dataset.documents.length} documents, ${dataset.queries.length} queries`);
  await using alone = await openWeaviateAlone(stack.config, dataset.documents);
  const defaults = await evaluate((query) => alone.rankByDefaults(query, DEPTH), 'hybrid');
  const baseline: Record<string, Quality> = {};
  for (const type of SEARCH_TYPES) baseline[type] = await evaluate((query) => alone.rank(query, type, DEPTH), type);
  const rank = await createServiceRanking(stack);
  const service: Record<string, Quality> = {};
  for (const type of SEARCH_TYPES) service[type] = await evaluate(rank, type);
  console.log(`\n| search | Weaviate alone | the service |\n|---|---|---|`);
  console.log(`| hybrid, Weaviate's defaults | ${formatQuality(defaults)} | |`);
  for (const type of SEARCH_TYPES)
    console.log(`| ${type} | ${formatQuality(baseline[type])} | ${formatQuality(service[type])} |`);
  const goal = baseline['hybrid']?.ndcg ?? NaN;
  console.log(
    formatVerdict('hybrid nDCG@10, service / Weaviate alone', (service['hybrid']?.ndcg ?? NaN) / goal, { atLeast: 1 }),
  );
});

type Quality = { ndcg: number; recall: number };

async function evaluate(rank: Rank, type: SearchType): Promise<Quality> {
  const total = { ndcg: 0, recall: 0 };
  for (const { id, text } of dataset.queries) {
    const relevance = dataset.relevance.get(id) ?? new Map<string, number>();
    const ranking = await rank(text, type);
    total.ndcg += ndcg(ranking, relevance, DEPTH);
    total.recall += recall(ranking, relevance, DEPTH);
  }
  return { ndcg: total.ndcg / dataset.queries.length, recall: total.recall / dataset.queries.length };
}

function formatQuality(quality: Quality | undefined): string {
  return quality ? `nDCG@10 ${quality.ndcg.toFixed(3)}, recall@10 ${quality.recall.toFixed(3)}` : '';
}

/** Ingests each document as a text file named by its id; a document is ranked by its best chunk. */
async function createServiceRanking(stack: BenchStack): Promise<Rank> {
  const collection = await stack.client.createCollection('retrieval');
  const files = nonEmptyDocuments(dataset).map(({ id, text }) => ({ name: `${id}.txt`, text }));
  const result = await stack.client.ingest(collection.id, files);
  console.log(`the service: ${JSON.stringify(result)}; ${dataset.documents.length - files.length} documents are empty`);
  return async (query, type) => {
    const { results } = await stack.client.search({ collectionId: collection.id, query, type, limit: CHUNK_LIMIT });
    return [...new Set(results.map(({ source }) => source.replace(/\.txt$/, '')))];
  };
}

function nonEmptyDocuments({ documents }: BeirDataset) {
  return documents
    .map((document) => ({ id: document.id, text: documentText(document) }))
    .filter(({ text }) => text.trim() !== '');
}
