import { FUNCTION_WORDS } from './function-words.ts';
import { WORD } from './text-terms.ts';

/** Further words of a query are ignored, for example of a pasted page. */
const MAX_QUERY_WORDS = 128;
/** `it's`, `don't`, `I'd`, `I'm`. Elsewhere these are letters that mean something: `vitamin d`, `t test`. */
const CONTRACTION_ENDINGS: ReadonlySet<string> = new Set(['s', 't', 'd', 'm']);
const APOSTROPHE_BEFORE = /['’]$/;
/** In French and Italian: `d'aide`, `s'inscrire`, `m'appelle`; not in English: `vitamin d's role`. */
const ELIDED_BEFORE = /^['’](?!s(?!\p{L}))\p{L}/iu;

/** `before` and `after`: a few characters. */
type Word = { word: string; before: string; after: string };

/**
 * Returns the words of a query that are searched, as spelled. Function words of English (`what`, `is`, `the`) are left out unless
 * there are no other words, or they are names: `IT` and `US` in capitals, and the letter of `vitamin A` or `hepatitis A vaccine`.
 */
export function searchedWords(query: string): string[] {
  const words = Array.from(query.matchAll(WORD).take(MAX_QUERY_WORDS), ({ 0: word, index }): Word => ({
    word: word.normalize('NFC'),
    before: query.slice(Math.max(0, index - 2), index),
    after: query.slice(index + word.length, index + word.length + 3),
  }));
  const isShouted = !/\p{Ll}/u.test(query) && words.filter(({ word }) => /\p{Lu}/u.test(word)).length > 1;
  const contentWords = words.filter((word, index) => {
    const isFunctionWord = FUNCTION_WORDS.has(word.word.toLowerCase());
    if (!isFunctionWord) return true;
    if (!isShouted && isName(word)) return true;
    return isLetter(word, { previous: words[index - 1], isLast: index === words.length - 1 });
  });
  return (contentWords.length > 0 ? contentWords : words).map(({ word }) => word);
}

/** Whether a function word is written as a name: in capitals, and `A` within a sentence. */
function isName({ word, before }: Word): boolean {
  if (word === 'A') return /[\p{L}\p{N}] $/u.test(before);
  return word.length > 1 && word === word.toUpperCase();
}

/** Whether a function word is a letter: what elsewhere ends a contraction or is elided, and an article or a pronoun at the end. */
function isLetter(
  { word, before, after }: Word,
  { previous, isLast }: { previous: Word | undefined; isLast: boolean },
) {
  if (CONTRACTION_ENDINGS.has(word.toLowerCase())) return !APOSTROPHE_BEFORE.test(before) && !ELIDED_BEFORE.test(after);
  const followsContent = previous !== undefined && !FUNCTION_WORDS.has(previous.word.toLowerCase());
  return word.length === 1 && isLast && followsContent;
}
