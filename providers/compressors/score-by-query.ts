import { termsOf, type SentenceTerms, inverseFrequencies } from './sentence-terms.ts';

const K1 = 1.2;
const B = 0.5;
/** Share of the scores of the one or two neighbours before and after: answers are near the words of a question. */
const BEFORE = [0.4, 0.2];
const AFTER = [0.2, 0.1];

/**
 * Returns the relevance of each sentence to a query: Okapi BM25 with sentences as documents (Robertson and Zaragoza 2009: The
 * probabilistic relevance framework), plus a share of the scores of neighbouring sentences.
 */
export function scoreByQuery(sentences: SentenceTerms, query: string): Float64Array {
  const asked = new Set(termsOf(query).flatMap((term) => sentences.numberOf(term) ?? []));
  const count = sentences.terms.length;
  const rarity = inverseFrequencies(sentences);
  const average = sentences.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, count) || 1;
  const scores = new Float64Array(count);
  sentences.terms.forEach((terms, sentence) => {
    const norm = K1 * (1 - B + (B * (sentences.lengths[sentence] ?? 0)) / average);
    terms.forEach((term, at) => {
      if (!asked.has(term)) return;
      const occurrences = sentences.counts[sentence]?.[at] ?? 0;
      const gain = ((rarity[term] ?? 0) * occurrences * (K1 + 1)) / (occurrences + norm);
      scores[sentence] = (scores[sentence] ?? 0) + gain;
    });
  });
  return withNeighbours(scores);
}

function withNeighbours(scores: Float64Array): Float64Array {
  return scores.map((score, at) => {
    const lent = (shares: readonly number[], step: number) =>
      shares.reduce((sum, share, distance) => sum + share * (scores[at + step * (distance + 1)] ?? 0), 0);
    return score + lent(BEFORE, -1) + lent(AFTER, 1);
  });
}
