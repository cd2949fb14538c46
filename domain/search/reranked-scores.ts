/** `areLogits`: any numbers; else they are from 0 to 1. `others`: how many hits follow that were not reranked. */
type ScoreOptions = { areLogits: boolean; others: number };

/**
 * Returns the scores that results show after reranking, 0 to 1, in the order of the ranking: first those of the reranked hits, as
 * the model has them or, of logits, their logistic function; then those of the others, which are smaller and smaller parts of the lowest.
 * No score is above the one before; they are equal where the model has the same score, and from the first 0 on.
 */
export function rerankedScores(modelScores: readonly number[], { areLogits, others }: ScoreOptions): number[] {
  const scores = areLogits ? modelScores.map((score) => 1 / (1 + Math.exp(-score))) : [...modelScores];
  const lowest = scores.at(-1) ?? 1;
  return [...scores, ...Array.from({ length: others }, (_, index) => lowest / (index + 2))];
}
