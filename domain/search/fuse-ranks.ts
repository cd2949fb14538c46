/** The constant `k` of the paper, with its value. */
const RANK_CONSTANT = 60;

/**
 * Combines several rankings of ids into one with reciprocal rank fusion. Cormack, Clarke and Büttcher (2009): Reciprocal rank
 * fusion outperforms Condorcet and individual rank learning methods. SIGIR.
 */
export function fuseRanks(rankings: readonly (readonly string[])[]): string[] {
  return fuseRankScores(rankings).map(({ id }) => id);
}

/** As `fuseRanks`, with scores: 1 for what is first in as many of the rankings as `most`, the number of those that can have it. */
export function fuseRankScores(rankings: readonly (readonly string[])[], most = 1): { id: string; score: number }[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    ranking.forEach((id, index) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + index + 1)));
  }
  const best = most / (RANK_CONSTANT + 1);
  return [...scores]
    .sort(([, scoreA], [, scoreB]) => scoreB - scoreA)
    .map(([id, score]) => ({ id, score: score / best }));
}
