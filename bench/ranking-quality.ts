import { sum } from './statistics.ts';

/** How relevant each document is to one query; what is not in it is not relevant. */
type Relevance = ReadonlyMap<string, number>;

/**
 * Normalized discounted cumulated gain of the first `depth` documents, linear gain, as `trec_eval` and BEIR compute it
 * (Järvelin and Kekäläinen 2002). From 0 to 1; 1 is the best order that is possible.
 */
export function ndcg(ranking: readonly string[], relevance: Relevance, depth: number): number {
  const gained = ranking.slice(0, depth).map((id) => relevance.get(id) ?? 0);
  const best = [...relevance.values()].toSorted((a, b) => b - a).slice(0, depth);
  return discounted(gained) / discounted(best);
}

/** The part of the relevant documents that is among the first `depth`. */
export function recall(ranking: readonly string[], relevance: Relevance, depth: number): number {
  return ranking.slice(0, depth).filter((id) => relevance.has(id)).length / relevance.size;
}

function discounted(gains: readonly number[]): number {
  return sum(gains.map((gain, index) => gain / Math.log2(index + 2)));
}
