import { detectLanguage, isPersian } from './detect-language.ts';
import { indexTerm } from './index-term.ts';
import { indexedPiecesOf, pairsOf, partsOf } from './paired-word.ts';
import { plainSpelling } from './plain-spelling.ts';
import { plainTerm, stemTerms, termsInAllLanguages, type TextLanguages } from './stem-terms.ts';

/** Words of a text or a query. */
export const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const HANGUL = /^\p{Script=Hangul}+$/u;
const CHARACTERS_OF_WORD = 2;

/** Where a word of a text stands, `[start, end)` in characters of the text, and its terms. */
export type WordTerms = { start: number; end: number; terms: readonly string[] };

/**
 * Yields the words of a text with their terms in the index: lower case, without accents, stemmed by script and by the language of
 * the text, in unspaced scripts and Hangul as overlapping pairs of characters and single ones, each with its place. Words with digits
 * stay whole. `indexed`: the text with what was indexed before it, whose language counts.
 */
export function* readTextTerms(text: string, indexed = text): Generator<WordTerms> {
  const languages = { latin: detectLanguage(indexed), isPersian: isPersian(indexed) };
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const { spelling, isAligned } = plainSpelling(word);
    for (const place of placesOf(spelling, languages)) {
      // Of a word that was spelled in another way, only the place as a whole is known.
      if (isAligned) yield { start: start + place.start, end: start + place.end, terms: place.terms };
      else yield { start, end: start + word.length, terms: place.terms };
    }
  }
}

function placesOf(word: string, languages: TextLanguages): WordTerms[] {
  return partsOf(word).flatMap(({ part, from, isPaired }) => {
    if (!isPaired) return [{ start: from, end: from + part.length, terms: stemTerms(part, languages) }];
    return indexedPiecesOf(part).map(({ piece, at }) => ({
      start: from + at,
      end: from + at + piece.length,
      terms: [indexTerm(piece)],
    }));
  });
}

/**
 * What a text can have of a query: a word, or a pair of characters of one. `terms`: all that it can have in the index, first that of
 * texts whose language is not known. `weight`: how many words it counts as.
 */
export type QueryPart = { terms: readonly string[]; weight: number };

/**
 * Returns the parts of a word of a query, with the terms of English and of texts whose language is not known, and the stems in every
 * language. A language without texts costs a look-up and scores nothing. `isBrief`: without the stems.
 */
export function queryPartsOf(word: string, { isBrief = false }: { isBrief?: boolean } = {}): QueryPart[] {
  return partsOf(plainSpelling(word).spelling).flatMap(({ part, isPaired }) => {
    if (isPaired) {
      const pairs = [...new Set(pairsOf(part))];
      const weight = wordsIn(part) / pairs.length;
      return pairs.map((pair) => ({ terms: [indexTerm(pair)], weight }));
    }
    const lower = part.toLowerCase();
    const terms = new Set([plainTerm(lower), ...(isBrief ? [] : termsInAllLanguages(lower))]);
    return [{ terms: [...terms], weight: 1 }];
  });
}

/** The number of words in a run of characters, of which a word has about two in scripts without spaces. */
function wordsIn(run: string): number {
  return HANGUL.test(run) ? 1 : Math.max(1, Array.from(run).length / CHARACTERS_OF_WORD);
}
