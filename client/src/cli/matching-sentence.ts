import { oneLine } from './printable.ts';

/** Letters of a longer word that must match, so that other forms of it match too. */
const MIN_STEM = 4;
const ENDING = 2;
const HEADING = /^\s*#{1,6}\s/;

/**
 * Returns the sentence of a text that has the most words of a query, and what follows it, on one line of at most
 * `maxCharacters`. The beginning of the text if it has none of them, as texts that a vector search finds.
 */
export function matchingSentence(text: string, query: string, maxCharacters: number): string {
  const stems = new Set(wordsOf(query).map(stemOf));
  const sentences = Array.from(new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text));
  let best = { index: 0, matches: 0 };
  for (const { segment, index } of sentences) {
    if (HEADING.test(segment)) continue;
    const matches = [...new Set(wordsOf(segment).map(stemOf))].filter((stem) => stems.has(stem)).length;
    if (matches > best.matches) best = { index, matches };
  }
  if (best.matches === 0) return oneLine(text, maxCharacters);
  return (best.index > 0 ? '… ' : '') + oneLine(text.slice(best.index), maxCharacters);
}

function wordsOf(text: string): string[] {
  const parts = Array.from(new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text.toLowerCase()));
  return parts.flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
}

function stemOf(word: string): string {
  return word.length <= MIN_STEM ? word : word.slice(0, Math.max(MIN_STEM, word.length - ENDING));
}
