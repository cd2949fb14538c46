/**
 * One order out of several: reciprocal rank fusion. Cormack, Clarke and Büttcher (2009): Reciprocal rank fusion outperforms
 * Condorcet and individual rank learning methods. SIGIR.
 */
export function fuseRanks(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    ranking.forEach((id, index) => scores.set(id, (scores.get(id) ?? 0) + 1 / (60 + index + 1)));
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}
