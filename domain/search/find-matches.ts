import { olderTermsOf } from './older-terms.ts';
import { isPairedWord } from './paired-word.ts';
import { searchedWords } from './searched-words.ts';
import { queryPartsOf, readTextTerms, type QueryPart, type WordTerms } from './text-terms.ts';

/** A part of a query that a text can have: a word, or a pair of characters of one. `weight`: how many words it counts as. */
export type MatchedPart = { readonly word: string; readonly weight: number };

/**
 * A place of a text, `[start, end)` in UTF-16 units, that a query matches, and the word of the query that does, as spelled there.
 * `parts`: what it has of the query: one pair of characters is not the whole word.
 */
export type TermMatch = { start: number; end: number; queryWord: string; parts: ReadonlySet<MatchedPart> };

/** Further parts of the words of a query are ignored: in scripts without spaces, a page is one word with a pair for each character. */
const MAX_QUERY_PARTS = 512;
/** The words of a longer query are not asked in every language. */
const MAX_STEMMED_QUERY_WORDS = 32;

/** A word of a query, its parts, and all terms that a text may have for it, those of texts that were indexed before included. */
export type QueryWord = { word: string; parts: readonly QueryPart[]; terms: readonly string[] };

/** Returns the words of a query that are searched, with their parts and terms. */
export function readQuery(query: string): QueryWord[] {
  const searched = searchedWords(query);
  const isBrief = searched.length > MAX_STEMMED_QUERY_WORDS;
  let room = MAX_QUERY_PARTS;
  return searched.map((word) => {
    const parts = queryPartsOf(word, { isBrief }).slice(0, room);
    room -= parts.length;
    const terms = new Set([...parts.flatMap((part) => part.terms), ...olderTermsOf(word, { isBrief })]);
    return { word, parts, terms: [...terms] };
  });
}

/** A query that is read once and compared with many texts. */
export type QueryMatcher = {
  /** `same`: the word itself, or the one before of which it is an inflection, and which `queryWord` of matches names. */
  words: readonly (QueryWord & { same: string })[];
  /** All that a text can have of the query. */
  parts: ReadonlySet<MatchedPart>;
  /**
   * Returns the words of a text that the query matches in a keyword search, other inflections included, in order and without
   * overlaps. `indexed`: the text with its context, if that was indexed with it: its language counts. Time is linear in the length
   * of the text.
   */
  findMatches: (text: string, indexed?: string) => TermMatch[];
};

/** Reads a query: of a long one, that takes longer than to read a text. */
export function createMatcher(query: string): QueryMatcher {
  const byTerm = new Map<string, { word: string; weight: number }>();
  const words = readQuery(query).map((one) => {
    // Of a word in pairs, the first term is a part only.
    const known = isPairedWord(one.word) ? undefined : byTerm.get(one.parts[0]?.terms[0] ?? '');
    const same = known?.word ?? one.word;
    for (const { terms, weight } of one.parts) {
      const part = byTerm.get(terms[0] ?? '') ?? { word: same, weight };
      part.weight = Math.max(part.weight, weight);
      for (const term of terms) if (!byTerm.has(term)) byTerm.set(term, part);
    }
    return { ...one, same };
  });
  return {
    words,
    parts: new Set(byTerm.values()),
    findMatches: (text, indexed) => matchesOf(readTextTerms(text, indexed), byTerm),
  };
}

/** Compares a query with one text, as `QueryMatcher` does. */
export function findMatches(text: string, query: string): TermMatch[] {
  return createMatcher(query).findMatches(text);
}

/** Returns the share of a query that the indexed text has, from 0 to 1, weighed by words. Null for a query without words. */
export function coverageOf({ parts, findMatches: find }: QueryMatcher, text: string): number | null {
  if (parts.size === 0) return null;
  return totalWeight(new Set(find(text).flatMap((match) => [...match.parts]))) / totalWeight(parts);
}

/** How many words of a query its parts are together. */
export function totalWeight(parts: Iterable<MatchedPart>): number {
  let sum = 0;
  for (const { weight } of parts) sum += weight;
  return sum;
}

function matchesOf(words: Iterable<WordTerms>, byTerm: ReadonlyMap<string, MatchedPart>): TermMatch[] {
  const matches: (TermMatch & { parts: Set<MatchedPart> })[] = [];
  for (const { start, end, terms } of words) {
    const found = terms.find((term) => byTerm.has(term));
    const part = found === undefined ? undefined : byTerm.get(found);
    if (part === undefined) continue;
    const last = matches.at(-1);
    // Pairs of characters overlap.
    if (last && start < last.end) {
      last.end = Math.max(last.end, end);
      last.parts.add(part);
    } else matches.push({ start, end, queryWord: part.word, parts: new Set([part]) });
  }
  return matches;
}
