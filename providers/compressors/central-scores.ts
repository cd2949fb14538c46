import type { SentenceTerms } from './sentence-terms.ts';
import { inverseFrequencies } from './sentence-scores.ts';

const DAMPING = 0.85;
const ROUNDS = 20;
/** A sentence that shares no word with another has nothing left but errors of rounding. */
const NOTHING = 1e-9;

/**
 * How central each sentence is to the text: continuous LexRank, the PageRank of sentences that vote by the cosines of their
 * tf-idf vectors. Erkan, G., Radev, D. (2004): LexRank: Graph-based lexical centrality as salience in text summarization, JAIR.
 * The cosines are never written down: a round multiplies by the matrix of terms and by its transpose, so that its cost is the
 * number of words and not the square of the number of sentences.
 */
export function scoreByCentrality(sentences: SentenceTerms): Float64Array {
  const weights = unitWeights(sentences);
  const count = weights.length;
  const even = 1 / Math.max(1, count);
  const degrees = cosineSums(sentences, weights, new Float64Array(count).fill(1));
  let ranks = new Float64Array(count).fill(even);
  for (let round = 0; round < ROUNDS; round += 1) {
    const votes = ranks.map((rank, at) => ((degrees[at] ?? 0) > 0 ? rank / (degrees[at] ?? 1) : 0));
    ranks = cosineSums(sentences, weights, votes).map((sum) => (1 - DAMPING) * even + DAMPING * sum);
  }
  return ranks;
}

/** For each sentence the sum of its cosines with the others, each times what that one has. Nobody votes for itself. */
function cosineSums(sentences: SentenceTerms, weights: readonly Float64Array[], factors: Float64Array) {
  const sums = new Float64Array(sentences.frequencies.length);
  sentences.terms.forEach((terms, sentence) => {
    const own = weights[sentence];
    const factor = factors[sentence] ?? 0;
    for (let at = 0; at < terms.length; at += 1) {
      const term = terms[at] ?? 0;
      sums[term] = (sums[term] ?? 0) + factor * (own?.[at] ?? 0);
    }
  });
  return Float64Array.from(sentences.terms, (terms, sentence) => {
    const own = weights[sentence];
    let sum = 0;
    for (let at = 0; at < terms.length; at += 1) sum += (sums[terms[at] ?? 0] ?? 0) * (own?.[at] ?? 0);
    const factor = factors[sentence] ?? 0;
    return sum - factor > NOTHING * factor ? sum - factor : 0;
  });
}

/** Tf-idf vectors of length 1, in the order of the terms of each sentence. */
function unitWeights(sentences: SentenceTerms): Float64Array[] {
  const rarity = inverseFrequencies(sentences);
  return sentences.terms.map((terms, sentence) => {
    const counts = sentences.counts[sentence];
    const raw = Float64Array.from(terms, (term, at) => (1 + Math.log(counts?.[at] ?? 1)) * (rarity[term] ?? 0));
    const length = Math.sqrt(raw.reduce((sum, weight) => sum + weight * weight, 0)) || 1;
    return raw.map((weight) => weight / length);
  });
}
