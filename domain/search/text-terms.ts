import { stemmer as english } from 'stemmer';
import { detectLanguage, isPersian } from './detect-language.ts';
import { stemHebrew } from './hebrew-stem.ts';
import {
  LATIN_LANGUAGES,
  STEMMERS,
  STOP_WORDS,
  languagesOfScript,
  type LatinLanguage,
  type StemmedLanguage,
} from './languages.ts';

/**
 * Mark of every term: a letter that no current alphabet uses, so that Weaviate's word tokenizer keeps it and no word of a text
 * equals a term. One query text then matches the terms of each of the two properties. (The same terms in both properties were
 * measured and are worse: a stem that is also a word counts twice.) Stems of languages other than English have the code of their
 * language between two marks: equal stems of different languages are different words.
 */
const MARK = 'ƾ';

/** Words of a text or a query. */
export const WORD = /[\p{L}\p{N}\p{M}]+/gu;

const ASCII = /^[\x20-\x7e]*$/;
const ENGLISH = /^[a-z]+$/;
const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;
const HANGUL = /^\p{Script=Hangul}+$/u;

/**
 * Scripts without spaces between words, which the word tokenizer would treat as one long word, and Hangul, in which particles and
 * endings are part of the word.
 */
const PAIRED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}ー]+/gu;

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

/** Where a word of a text stands, `[start, end)` in characters of the text, and its terms. */
export type WordTerms = { start: number; end: number; terms: readonly string[] };

/**
 * Yields the words of a text with their terms in the index: lower case, without accents, stemmed by script and by the language of
 * the text, in unspaced scripts and Hangul as overlapping pairs of characters, each with its place. Words with digits stay whole.
 */
export function* readTextTerms(text: string): Generator<WordTerms> {
  const languages = { latin: detectLanguage(text), isPersian: isPersian(text) };
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    // Each word alone, so that it has the same terms in a query and in a text: lower case can depend on adjacent letters.
    const composed = ASCII.test(word) ? word : word.normalize('NFC');
    for (const { part, from, isPaired } of partsOf(composed)) {
      const whole = { start: start + from, end: start + from + part.length };
      const places = isPaired
        ? pairsOf(part).map(({ pair, at }) => ({
            start: whole.start + at,
            end: whole.start + at + pair.length,
            terms: [MARK + pair],
          }))
        : [{ ...whole, terms: termsOfWord(part, languages) }];
      // Of a word that was composed, only the place as a whole is known.
      yield* composed === word ? places : places.map(({ terms }) => ({ start, end: start + word.length, terms }));
    }
  }
}

/**
 * Returns all terms that a word of a query can have in the index: those of English and of texts whose language is not known, and
 * its stems in every language. A language without texts costs a look-up and scores nothing. `isBrief`: without the stems.
 */
export function queryTermsOf(word: string, { isBrief = false }: { isBrief?: boolean } = {}): string[] {
  const terms: string[] = [];
  for (const { part, isPaired } of partsOf(word.normalize('NFC'))) {
    if (isPaired) {
      // Objects indexed before Hangul was paired have the whole word.
      if (HANGUL.test(part)) terms.push(MARK + part.toLowerCase());
      terms.push(...pairsOf(part).map(({ pair }) => MARK + pair));
      continue;
    }
    const lower = part.toLowerCase();
    terms.push(plainTerm(lower));
    if (!isBrief) terms.push(...stemsInAllLanguages(lower));
  }
  return [...new Set(terms)];
}

/** Whether a word, or a part of it, is indexed as pairs of characters. */
export function isPairedWord(word: string): boolean {
  return word.search(PAIRED) !== -1;
}

function stemsInAllLanguages(word: string): readonly string[] {
  const languages = languagesOfScript(word);
  if (languages.length > 0) return languages.flatMap((language) => queryStems(word, language));
  if (!LATIN.test(word)) return [];
  const plain = withoutAccents(word);
  return LATIN_LANGUAGES.flatMap((language) => {
    if (STOP_WORDS[language].has(word)) return [];
    // Many people type without accents, on which stems depend.
    return plain === word ? queryStems(word, language) : [...queryStems(word, language), ...stemTerms(plain, language)];
  });
}

/**
 * Returns the terms of a word, and the word itself as a stem: a stemmer often leaves of an inflection what it shortens again when
 * it stands alone (Dutch `fietsen`, `fiets`, `fiet`).
 */
function queryStems(word: string, language: StemmedLanguage): readonly string[] {
  return [...stemTerms(word, language), termOf(word, language)];
}

/** The language of words in Latin letters, null for English or an unknown one, and whether those in Arabic letters are Persian. */
type TextLanguages = { latin: LatinLanguage | null; isPersian: boolean };

function termsOfWord(part: string, { latin: language, isPersian: inPersian }: TextLanguages): readonly string[] {
  const lower = part.toLowerCase();
  // The fast path for nearly all words; stemming is half the time of indexing a text.
  if (language === null && ENGLISH.test(lower)) return [MARK + english(lower)];
  if (LATIN.test(lower)) return language === null ? [plainTerm(lower)] : stemTerms(lower, language);
  const [first, second] = languagesOfScript(lower);
  const script = inPersian ? (second ?? first) : first;
  return script ? stemTerms(lower, script) : [plainTerm(lower)];
}

/** Returns the term of a word of a text in English or an unknown language. */
function plainTerm(word: string): string {
  const plain = withoutAccents(word);
  return MARK + (ENGLISH.test(plain) ? english(plain) : plain);
}

const cachedStems = new Map<StemmedLanguage, Map<string, readonly string[]>>();

function stemTerms(word: string, language: StemmedLanguage): readonly string[] {
  const cache = cachedStems.get(language) ?? new Map<string, readonly string[]>();
  cachedStems.set(language, cache);
  const known = cache.get(word);
  if (known) return known;
  const terms = stemsOf(word, language).map((stem) => termOf(stem, language));
  if (word.length > MAX_STEMMED_LETTERS) return terms;
  if (cache.size >= MAX_CACHED_WORDS) cache.clear();
  cache.set(word, terms);
  return terms;
}

function termOf(stem: string, language: StemmedLanguage): string {
  const plain = withoutAccents(stem);
  return `${MARK}${language}${MARK}${withPlainLetters(plain, language)}`;
}

/** Some letters are no letter with an accent to Unicode, but people without their keyboard type the plain one. */
function withPlainLetters(stem: string, language: StemmedLanguage): string {
  if (language === 'tr') return stem.replaceAll('ı', 'i');
  return language === 'pl' ? stem.replaceAll('ł', 'l') : stem;
}

function stemsOf(word: string, language: StemmedLanguage): string[] {
  if (word.length > MAX_STEMMED_LETTERS) return [word];
  if (language === 'he') return stemHebrew(word);
  const stem = STEMMERS[language](language === 'ar' ? word.replace(ARABIC_AND, '') : word) || word;
  if (language !== 'ar') return [stem];
  const root = stem.replace(ARABIC_ENDING, '').replace(ARABIC_VOWELS, '');
  return root.length < MIN_ARABIC_ROOT_LETTERS ? [stem] : [stem, root + MARK];
}

type Part = { part: string; from: number; isPaired: boolean };

/** Cuts a word where scripts that are indexed in pairs begin and end. */
function partsOf(word: string): Part[] {
  if (ASCII.test(word)) return [{ part: word, from: 0, isPaired: false }];
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(PAIRED)) {
    if (index > end) parts.push({ part: word.slice(end, index), from: end, isPaired: false });
    parts.push({ part: run, from: index, isPaired: true });
    end = index + run.length;
  }
  if (end < word.length) parts.push({ part: word.slice(end), from: end, isPaired: false });
  return parts;
}

function pairsOf(run: string): { pair: string; at: number }[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [{ pair: run, at: 0 }];
  let at = 0;
  return characters.slice(1).map((character, index) => {
    const first = characters[index] ?? '';
    const pair = { pair: first + character, at };
    at += first.length;
    return pair;
  });
}

/** Removes the combining accents of Latin, Greek and Cyrillic. Marks that other scripts need for spelling stay. */
function withoutAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
