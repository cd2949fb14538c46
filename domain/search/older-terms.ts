import { MARK } from './index-term.ts';
import { LATIN_LANGUAGES, languagesOfScript, type StemmedLanguage } from './languages.ts';
import { pairsOf, partsOf } from './paired-word.ts';
import { plainSpelling, withoutAccents, withPlainLetters } from './plain-spelling.ts';
import { stemsOf } from './stem-terms.ts';

const ASCII = /^[\x20-\x7e]*$/;
const ENGLISH = /^[a-z]+$/;
const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;
const COMBINING = /\p{M}/u;
const HANGUL = /^\p{Script=Hangul}{1,40}$/u;
/** What the tokenizer made of a term with combining marks begins with the letters before the first of them. */
const BEGINNING = new RegExp(`^${MARK}(?:[a-z]{2}${MARK})?[^${MARK}\\p{M}][\\p{L}\\p{N}]*`, 'u');

/**
 * Returns the terms that objects have for a word of a query if they were indexed before terms were spelled as they are now: Hangul
 * as whole words, letters such as `ø` and wide forms as they are, and terms cut at combining marks. Of the latter, the
 * beginning only: the rest are single letters that any text has.
 */
export function olderTermsOf(word: string, { isBrief = false }: { isBrief?: boolean } = {}): string[] {
  if (ASCII.test(word)) return [];
  const terms = partsOf(word.normalize('NFC')).flatMap(({ part, isPaired }) => {
    if (!isPaired) return olderWords(part.toLowerCase(), isBrief);
    const isSpelledAsBefore = !COMBINING.test(part) && plainSpelling(part).spelling === part;
    const pairs = isSpelledAsBefore ? [] : pairsOf(part).map((pair) => MARK + pair);
    return HANGUL.test(part) ? [MARK + part, ...pairs] : pairs;
  });
  return terms.flatMap((term) => BEGINNING.exec(term)?.[0] ?? []);
}

function olderWords(word: string, isBrief: boolean): string[] {
  const plain = withoutAccents(word);
  // Those that were stemmed as English still are.
  const terms = ENGLISH.test(plain) ? [] : [MARK + plain];
  const languages: readonly StemmedLanguage[] = LATIN.test(word) ? LATIN_LANGUAGES : languagesOfScript(word);
  // The stems of most words have the same terms as before, and cost time.
  const isChanged = COMBINING.test(word) || withPlainLetters(word) !== word || languages.includes('hi');
  if (isBrief || !isChanged) return terms;
  const stems = languages.flatMap((language) =>
    [...stemsOf(word, language), word].map((stem) => MARK + language + MARK + withoutAccents(stem)),
  );
  return [...terms, ...stems];
}
