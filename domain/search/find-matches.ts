import { FUNCTION_WORDS } from './function-words.ts';
import { isPairedWord } from './paired-runs.ts';
import { queryTermsOf, readTextTerms, WORD } from './text-terms.ts';

/** A place of a text, `[start, end)` in UTF-16 units, that a query matches, and the word of the query that does, as spelled there. */
export type TermMatch = { start: number; end: number; queryWord: string };

/** Further words of a query are ignored, for example of a pasted page. */
const MAX_QUERY_WORDS = 128;
/** The words of a longer query are not asked in every language. */
const MAX_STEMMED_QUERY_WORDS = 32;

/** A word of a query, and all terms that a text may have for it. */
export type QueryWord = { word: string; terms: readonly string[] };

/**
 * Returns the words of a query that are searched, as spelled. Function words of English (`what`, `is`, `the`) are left out unless
 * there are no other words.
 */
export function searchedWords(query: string): string[] {
  const words = (query.match(WORD) ?? []).slice(0, MAX_QUERY_WORDS).map((word) => word.normalize('NFC'));
  const contentWords = words.filter((word) => !FUNCTION_WORDS.has(word.toLowerCase()));
  return contentWords.length > 0 ? contentWords : words;
}

/** Returns the words of a query that are searched, with their terms. */
export function readQuery(query: string): QueryWord[] {
  const searched = searchedWords(query);
  const isBrief = searched.length > MAX_STEMMED_QUERY_WORDS;
  return searched.map((word) => ({ word, terms: queryTermsOf(word, { isBrief }) }));
}

/** A query that is read once and compared with many texts. */
export type QueryMatcher = {
  /** `same`: the word itself, or the one before of which it is an inflection, and which `queryWord` of matches names. */
  words: readonly (QueryWord & { same: string })[];
  /**
   * Returns the words of a text that the query matches in a keyword search, other inflections included, in order and without
   * overlaps. Time is linear in the length of the text.
   */
  findMatches: (text: string) => TermMatch[];
};

/** Reads a query: of a long one, that takes longer than to read a text. */
export function createMatcher(query: string): QueryMatcher {
  const wordByTerm = new Map<string, string>();
  const words = readQuery(query).map(({ word, terms }) => {
    // The first term is the word as a text of unknown language has it; of a word in pairs, it is a part only.
    const same = (isPairedWord(word) ? undefined : wordByTerm.get(terms[0] ?? '')) ?? word;
    for (const term of terms) if (!wordByTerm.has(term)) wordByTerm.set(term, same);
    return { word, terms, same };
  });
  return { words, findMatches: (text) => matchesOf(text, wordByTerm) };
}

/** Compares a query with one text, as `QueryMatcher` does. */
export function findMatches(text: string, query: string): TermMatch[] {
  return createMatcher(query).findMatches(text);
}

function matchesOf(text: string, wordByTerm: ReadonlyMap<string, string>): TermMatch[] {
  const matches: TermMatch[] = [];
  for (const { start, end, terms } of readTextTerms(text)) {
    const found = terms.find((term) => wordByTerm.has(term));
    const queryWord = found === undefined ? undefined : wordByTerm.get(found);
    if (queryWord === undefined) continue;
    const last = matches.at(-1);
    // Pairs of characters overlap.
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else matches.push({ start, end, queryWord });
  }
  return matches;
}
