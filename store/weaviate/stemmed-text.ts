import { stemmer } from 'stemmer';
import { FUNCTION_WORDS } from '#domain/search/function-words.ts';

/**
 * Begins every term of the shadow property: a letter that no living alphabet uses, so that Weaviate's word tokenizer keeps
 * it and no word of a text equals a shadow term. One query text then asks each of the two properties for its own terms.
 * (The same terms in both were measured and are worse: a stem that is also a word counts twice.)
 */
const STEM_PREFIX = 'ƾ';

/** More words of a query are not looked up: who pastes a page gets an answer by its beginning. */
const MAX_QUERY_WORDS = 128;

const ASCII = /^[\x20-\x7e]*$/;
const ENGLISH = /^[a-z]+$/;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Scripts written without spaces between words, which the word tokenizer would take as one long word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}ー]+/gu;

/**
 * The shadow property of a text: its words lower-case, without accents, English ones stemmed; scripts without spaces as
 * overlapping pairs of characters. Words with digits stay whole.
 */
export function stemmedText(text: string): string {
  return stemmedTerms(wordsOf(text)).join(' ');
}

/**
 * What is asked of the text and its shadow together: the words of the query as they are, and their shadow terms. Function
 * words (`what`, `is`, `the`) are left out unless there is nothing else. Empty when the query has no word.
 */
export function keywordQuery(query: string): string {
  const words = wordsOf(query).slice(0, MAX_QUERY_WORDS);
  const telling = words.filter((word) => !FUNCTION_WORDS.has(word.toLowerCase()));
  const asked = telling.length > 0 ? telling : words;
  return [...asked, ...stemmedTerms(asked)].join(' ');
}

function wordsOf(text: string): string[] {
  return text.normalize('NFC').match(WORD) ?? [];
}

/** Word by word, so that a word gives the same terms in a query and in a text: lower case may depend on what stands beside. */
function stemmedTerms(words: readonly string[]): string[] {
  const terms: string[] = [];
  for (const word of words) {
    const plain = withoutAccents(word.toLowerCase());
    // Nearly all words end here, and that is half the time of indexing a text.
    if (ENGLISH.test(plain)) terms.push(STEM_PREFIX + stemmer(plain));
    else addOtherWord(plain, terms);
  }
  return terms;
}

/** A word with digits or of another alphabet; parts in a script without spaces become pairs. */
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

/** Removes the combining accents of Latin, Greek and Cyrillic; marks that other scripts spell with stay. */
function withoutAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
