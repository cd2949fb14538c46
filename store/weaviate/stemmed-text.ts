import { stemmer } from 'stemmer';
import { FUNCTION_WORDS } from '#domain/search/function-words.ts';

/**
 * Prefix of every stemmed term: a letter that no current alphabet uses, so that Weaviate's word tokenizer keeps it and no word of
 * a text equals a stemmed term. One query text then matches the terms of each of the two properties. (The same terms in both
 * properties were measured and are worse: a stem that is also a word counts twice.)
 */
const STEM_PREFIX = 'ƾ';

/** Further words of a query are ignored, for example of a pasted page. */
const MAX_QUERY_WORDS = 128;

const ASCII = /^[\x20-\x7e]*$/;
const ENGLISH = /^[a-z]+$/;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Scripts without spaces between words, which the word tokenizer would treat as one long word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}ー]+/gu;

/**
 * Returns the value of the property `text_stemmed`: the words of a text in lower case, without accents, English words
 * stemmed, and scripts without spaces as overlapping pairs of characters. Words with digits stay whole.
 */
export function stemmedText(text: string): string {
  return stemmedTerms(wordsOf(text)).join(' ');
}

/**
 * Returns the text that is searched in the text and the stemmed text together: the words of the query and their stemmed terms.
 * Function words (`what`, `is`, `the`) are left out unless there are no other words. Empty when the query has no word.
 */
export function keywordQuery(query: string): string {
  const words = wordsOf(query).slice(0, MAX_QUERY_WORDS);
  const contentWords = words.filter((word) => !FUNCTION_WORDS.has(word.toLowerCase()));
  const searched = contentWords.length > 0 ? contentWords : words;
  return [...searched, ...stemmedTerms(searched)].join(' ');
}

function wordsOf(text: string): string[] {
  return text.normalize('NFC').match(WORD) ?? [];
}

/**
 * Converts each word alone, so that it has the same terms in a query and in a text: lower case can depend on adjacent
 * letters.
 */
function stemmedTerms(words: readonly string[]): string[] {
  const terms: string[] = [];
  for (const word of words) {
    const plain = withoutAccents(word.toLowerCase());
    // The fast path for nearly all words; stemming is half the time of indexing a text.
    if (ENGLISH.test(plain)) terms.push(STEM_PREFIX + stemmer(plain));
    else addOtherWord(plain, terms);
  }
  return terms;
}

/** Adds the terms of a word with digits or of another alphabet; parts in a script without spaces become pairs. */
function addOtherWord(word: string, terms: string[]): void {
  let end = 0;
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > end) terms.push(STEM_PREFIX + word.slice(end, run.index));
    addPairs(run[0], terms);
    end = run.index + run[0].length;
  }
  if (end < word.length) terms.push(STEM_PREFIX + word.slice(end));
}

function addPairs(run: string, terms: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) terms.push(STEM_PREFIX + run);
  for (let index = 1; index < characters.length; index++) {
    terms.push(`${STEM_PREFIX}${characters[index - 1]}${characters[index]}`);
  }
}

/** Removes the combining accents of Latin, Greek and Cyrillic. Marks that other scripts need for spelling stay. */
function withoutAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
