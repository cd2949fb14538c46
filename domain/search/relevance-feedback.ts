/**
 * Pseudo-relevance feedback: a second search adds to the query what the best hits of the first search have in common.
 * Rocchio, J. (1971): Relevance feedback in information retrieval. In Salton (ed.): The SMART Retrieval System.
 * For words: the relevance model of Lavrenko and Croft (2001), reduced to the terms that occur in several of the hits.
 * The weights are low: feedback helps some collections and hurts others, and must not outweigh the original query.
 */

/** Number of hits that provide the feedback. */
export const RELEVANCE_FEEDBACK_HITS = 5;
const FEEDBACK_WEIGHT = 0.2;
const EXPANSION_TERMS = 6;
/** How often the new query repeats the original query; each added term occurs once. */
const QUERY_WEIGHT = 3;
/** Longer queries are specific enough and are not expanded. */
const MAX_QUERY_WORDS = 30;
const MIN_TERM_LETTERS = 4;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the query vector, moved towards the mean of the hit vectors and normalized to length 1. */
export function feedbackVector(query: Float32Array, hits: readonly (readonly number[])[]): Float32Array {
  if (hits.length === 0) return query;
  const moved = query.map((value, index) => {
    const mean = hits.reduce((sum, vector) => sum + (vector[index] ?? 0), 0) / hits.length;
    return (1 - FEEDBACK_WEIGHT) * value + FEEDBACK_WEIGHT * mean;
  });
  const length = Math.hypot(...moved);
  return length === 0 ? query : moved.map((value) => value / length);
}

/** Returns the query, expanded with the terms that at least two of the hits share, most frequent first. */
export function feedbackQuery(query: string, hits: readonly string[]): string {
  const queryWords = wordsOf(query);
  if (queryWords.length === 0 || queryWords.length > MAX_QUERY_WORDS) return query;
  const known = new Set(queryWords);
  const counts = new Map<string, number>();
  for (const text of hits) {
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const shared = [...counts]
    .filter(([word, count]) => count >= 2 && word.length >= MIN_TERM_LETTERS && !known.has(word))
    .sort(([a, countA], [b, countB]) => countB - countA || b.length - a.length || (a < b ? -1 : 1))
    .slice(0, EXPANSION_TERMS)
    .map(([word]) => word);
  if (shared.length === 0) return query;
  return [...Array.from({ length: QUERY_WEIGHT }, () => query), ...shared].join(' ');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().normalize('NFC').match(WORD) ?? [];
}
