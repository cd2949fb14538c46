/**
 * Pseudo-relevance feedback: what the best hits of a first search have in common is taken into a second one.
 * Rocchio, J. (1971): Relevance feedback in information retrieval. In Salton (ed.): The SMART Retrieval System.
 * For words: the relevance model of Lavrenko and Croft (2001), reduced to the terms that occur in several of the hits.
 * The weights are gentle: feedback helps some collections and hurts others, and never outweighs what was asked.
 */

/** Hits that the feedback comes from. */
export const RELEVANCE_FEEDBACK_HITS = 5;
const FEEDBACK_WEIGHT = 0.2;
const EXPANSION_TERMS = 6;
/** The words that were asked for stand so often in the new query, where each of the new ones stands once. */
const QUERY_WEIGHT = 3;
/** A longer query says enough by itself. */
const MAX_QUERY_WORDS = 30;
const MIN_TERM_LETTERS = 4;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The query's vector moved a little towards the middle of those of the hits; of length 1 again. */
export function feedbackVector(query: Float32Array, hits: readonly (readonly number[])[]): Float32Array {
  if (hits.length === 0) return query;
  const moved = query.map((value, index) => {
    const mean = hits.reduce((sum, vector) => sum + (vector[index] ?? 0), 0) / hits.length;
    return (1 - FEEDBACK_WEIGHT) * value + FEEDBACK_WEIGHT * mean;
  });
  const length = Math.hypot(...moved);
  return length === 0 ? query : moved.map((value) => value / length);
}

/** The query's words with those that at least two of the hits share, the most shared first. */
export function feedbackQuery(query: string, hits: readonly string[]): string {
  const asked = wordsOf(query);
  if (asked.length === 0 || asked.length > MAX_QUERY_WORDS) return query;
  const known = new Set(asked);
  const counts = new Map<string, number>();
  for (const text of hits) {
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const shared = [...counts]
    .filter(([word, count]) => count >= 2 && word.length >= MIN_TERM_LETTERS && !known.has(word))
    .sort(([a, one], [b, other]) => other - one || b.length - a.length || (a < b ? -1 : 1))
    .slice(0, EXPANSION_TERMS)
    .map(([word]) => word);
  if (shared.length === 0) return query;
  return [...Array.from({ length: QUERY_WEIGHT }, () => query), ...shared].join(' ');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().normalize('NFC').match(WORD) ?? [];
}
