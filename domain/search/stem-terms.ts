import { stemmer as english } from 'stemmer';
import { stemHebrew } from './hebrew-stem.ts';
import { indexTerm, MARK } from './index-term.ts';
import {
  LATIN_LANGUAGES,
  STEMMERS,
  STOP_WORDS,
  languagesOfScript,
  type LatinLanguage,
  type StemmedLanguage,
} from './languages.ts';
import { withoutAccents, withPlainLetters } from './plain-spelling.ts';

const ENGLISH = /^[a-z]+$/;
const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;

/**
 * Letters that Arabic plurals insert or leave out, between the first and the last letter of a stem: `مدينة` (city), `مدن` (cities).
 * What is left is a second term, with a mark at its end.
 */
const ARABIC_VOWELS = /(?<=.)[اويىءئؤ](?=.)/gu;
const ARABIC_ENDING = /[ةهىا]$/u;
/** `and the`, which the stemmer leaves at some words. */
const ARABIC_AND = /^[وف](?=ال\p{L}{3})/u;
const MIN_ARABIC_ROOT_LETTERS = 3;

/** Words in the cache of stems of a language; longer words are rare and not stemmed. */
const MAX_CACHED_WORDS = 10_000;
const MAX_STEMMED_LETTERS = 40;

/** The language of words in Latin letters, null for English or an unknown one, and whether those in Arabic letters are Persian. */
export type TextLanguages = { latin: LatinLanguage | null; isPersian: boolean };

/** Returns the terms of a word of a text: its stems in the language of the text, or in that of its script. */
export function stemTerms(word: string, { latin: language, isPersian: inPersian }: TextLanguages): readonly string[] {
  const lower = word.toLowerCase();
  // The fast path for nearly all words; stemming is half the time of indexing a text.
  if (language === null && ENGLISH.test(lower)) return [MARK + english(lower)];
  if (LATIN.test(lower)) return language === null ? [plainTerm(lower)] : termsIn(lower, language);
  const [first, second] = languagesOfScript(lower);
  const script = inPersian ? (second ?? first) : first;
  return script ? termsIn(lower, script) : [plainTerm(lower)];
}

/** Returns the term of a word, in lower case, of a text in English or an unknown language. */
export function plainTerm(word: string): string {
  const plain = withPlainLetters(withoutAccents(word));
  return indexTerm(ENGLISH.test(plain) ? english(plain) : plain);
}

/** Returns the terms of a word, in lower case, in every language in which it may be. */
export function termsInAllLanguages(word: string): readonly string[] {
  const languages = languagesOfScript(word);
  if (languages.length > 0) return languages.flatMap((language) => queryTerms(word, language));
  if (!LATIN.test(word)) return [];
  const plain = withoutAccents(word);
  return LATIN_LANGUAGES.flatMap((language) => {
    if (STOP_WORDS[language].has(word)) return [];
    // Many people type without accents, on which stems depend.
    return plain === word ? queryTerms(word, language) : [...queryTerms(word, language), ...termsIn(plain, language)];
  });
}

/**
 * Returns the terms of a word, and the word itself as a stem: a stemmer often leaves of an inflection what it shortens again when
 * it stands alone (Dutch `fietsen`, `fiets`, `fiet`).
 */
function queryTerms(word: string, language: StemmedLanguage): readonly string[] {
  return [...termsIn(word, language), termOf(word, language)];
}

const cachedTerms = new Map<StemmedLanguage, Map<string, readonly string[]>>();

function termsIn(word: string, language: StemmedLanguage): readonly string[] {
  const cache = cachedTerms.get(language) ?? new Map<string, readonly string[]>();
  cachedTerms.set(language, cache);
  const known = cache.get(word);
  if (known) return known;
  const terms = stemsOf(word, language).map((stem) => termOf(stem, language));
  if (word.length > MAX_STEMMED_LETTERS) return terms;
  if (cache.size >= MAX_CACHED_WORDS) cache.clear();
  cache.set(word, terms);
  return terms;
}

/**
 * Hindi has a code other than in objects of before, whose terms are cut at vowel signs: what begins those of long words are the stems
 * of `का` and `के`, which are in every text.
 */
function termOf(stem: string, language: StemmedLanguage): string {
  return indexTerm(withPlainLetters(withoutAccents(stem)), language === 'hi' ? 'hin' : language);
}

/** Returns the stems of a word in lower case: several where it can be read in several ways. */
export function stemsOf(word: string, language: StemmedLanguage): string[] {
  if (word.length > MAX_STEMMED_LETTERS) return [word];
  if (language === 'he') return stemHebrew(word);
  const stem = STEMMERS[language](language === 'ar' ? word.replace(ARABIC_AND, '') : word) || word;
  if (language !== 'ar') return [stem];
  const root = stem.replace(ARABIC_ENDING, '').replace(ARABIC_VOWELS, '');
  return root.length < MIN_ARABIC_ROOT_LETTERS ? [stem] : [stem, root + MARK];
}
