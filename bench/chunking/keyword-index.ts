import { keywordQuery, stemmedText } from '#store/weaviate/stemmed-text.ts';

/** The configuration of the service in Weaviate: BM25 over the words, and over their stems with twice the weight. */
const K1 = 1.2;
const B = 0.75;
const FIELDS: readonly { weight: number; textOf: (text: string) => string }[] = [
  { weight: 1, textOf: (text) => text },
  { weight: 2, textOf: stemmedText },
];

/**
 * Creates a keyword index in memory (BM25; Robertson and Zaragoza 2009); `search` returns the indexes of the best
 * texts, best first.
 */
export function createKeywordIndex(texts: readonly string[]): { search(query: string, limit: number): number[] } {
  const fields = FIELDS.map(({ weight, textOf }) => ({ weight, field: indexField(texts.map(textOf)) }));
  return {
    search(query, limit) {
      const scores = new Map<number, number>();
      for (const { weight, field } of fields) {
        for (const [place, points] of field.score(new Set(termsOf(keywordQuery(query))))) {
          scores.set(place, (scores.get(place) ?? 0) + weight * points);
        }
      }
      const ranked = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      return ranked.slice(0, limit).map(([place]) => place);
    },
  };
}

function indexField(texts: readonly string[]): { score(terms: ReadonlySet<string>): Map<number, number> } {
  const postings = new Map<string, Map<number, number>>();
  const lengths = texts.map((text, place) => {
    const terms = termsOf(text);
    for (const term of terms) {
      const places = postings.get(term) ?? new Map<number, number>();
      postings.set(term, places.set(place, (places.get(place) ?? 0) + 1));
    }
    return terms.length;
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return {
    score(terms) {
      const scores = new Map<number, number>();
      for (const term of terms) {
        const places = postings.get(term) ?? new Map<number, number>();
        const rarity = Math.log(1 + (texts.length - places.size + 0.5) / (places.size + 0.5));
        for (const [place, count] of places) {
          const norm = count + K1 * (1 - B + (B * (lengths[place] ?? 0)) / mean);
          scores.set(place, (scores.get(place) ?? 0) + (rarity * count * (K1 + 1)) / norm);
        }
      }
      return scores;
    },
  };
}

function termsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}
