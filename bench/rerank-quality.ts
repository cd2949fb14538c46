import { SEARCH_TYPES, type SearchType } from '#domain/records/search.ts';
import type { BeirDataset } from './beir-dataset.ts';
import type { BenchStack } from './bench-stack.ts';
import { ndcg, recall } from './ranking-quality.ts';
import { milliseconds, percentile } from './statistics.ts';

const DEPTH = 10;

type Measured = { ndcg: number; recall: number; reranked: number; times: number[] };
type Comparison = { dataset: BeirDataset; collectionId: string; depth: number };

/** Prints quality and duration of each search type with and without `rerank`, and how many searches were reranked. */
export async function compareReranking(stack: BenchStack, comparison: Comparison): Promise<void> {
  const { depth, dataset } = comparison;
  console.log(`\n| search, rerank depth ${depth} | plain | reranked | p50 | p95 | reranked searches |`);
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const type of SEARCH_TYPES) {
    const plain = await measure(stack, { ...comparison, type, rerank: false });
    const reranked = await measure(stack, { ...comparison, type, rerank: { depth } });
    const times = (at: number) => [plain, reranked].map((side) => milliseconds(percentile(side.times, at))).join(' → ');
    const share = `${reranked.reranked} of ${dataset.queries.length}`;
    console.log(`| ${type} | ${quality(plain)} | ${quality(reranked)} | ${times(0.5)} | ${times(0.95)} | ${share} |`);
  }
}

type Side = Comparison & { type: SearchType; rerank: false | { depth: number } };

async function measure(stack: BenchStack, { dataset, collectionId, type, rerank }: Side): Promise<Measured> {
  const total: Measured = { ndcg: 0, recall: 0, reranked: 0, times: [] };
  for (const { id, text } of dataset.queries) {
    const startedMs = performance.now();
    const search = { collection_id: collectionId, query: text, search_type: type, max_results: 50, rerank };
    const { results, reranked } = await stack.client.searchWith(search);
    total.times.push(performance.now() - startedMs);
    if (reranked === true) total.reranked += 1;
    const ranking = [...new Set(results.map(({ source }) => source.replace(/\.txt$/, '')))];
    const relevance = dataset.relevance.get(id) ?? new Map<string, number>();
    total.ndcg += ndcg(ranking, relevance, DEPTH) / dataset.queries.length;
    total.recall += recall(ranking, relevance, DEPTH) / dataset.queries.length;
  }
  return total;
}

function quality(measured: Measured): string {
  return `nDCG@10 ${measured.ndcg.toFixed(3)}, recall@10 ${measured.recall.toFixed(3)}`;
}
