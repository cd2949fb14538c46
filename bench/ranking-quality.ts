import { sum } from './statistics.ts';

/** Relevance of each document to one query; missing documents are irrelevant. */
type Relevance = ReadonlyMap<string, number>;

/**
 * Returns the normalized discounted cumulative gain of the first `depth` documents, with linear gain, as `trec_eval` and BEIR
 * compute it (Järvelin and Kekäläinen 2002). From 0 to 1; 1 is the best possible order.
 */
export function ndcg(ranking: readonly string[], relevance: Relevance, depth: number): number {
  const gained = ranking.slice(0, depth).map((id) => relevance.get(id) ?? 0);
  const best = [...relevance.values()].toSorted((a, b) => b - a).slice(0, depth);
  return discounted(gained) / discounted(best);
}

/** Returns the share of the relevant documents among the first `depth`. */
export function recall(ranking: readonly string[], relevance: Relevance, depth: number): number {
  return ranking.slice(0, depth).filter((id) => relevance.has(id)).length / relevance.size;
}

function discounted(gains: readonly number[]): number {
  return sum(gains.map((gain, index) => gain / Math.log2(index + 2)));
}
