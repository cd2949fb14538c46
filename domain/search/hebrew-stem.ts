/**
 * What is written together with a Hebrew word: `and`; `that`, `from`, `to`, `in`, `as`; `the`. Many words begin with these letters
 * themselves (`משרד`, office), so each reading is a term.
 */
const PREFIX = /^ו?[שמלבכ]{0,2}ה?$/u;
const MAX_PREFIX_LETTERS = 3;
/** Endings of the plural, the feminine and what belongs to something. */
const SUFFIX = /(?:יים|יות|ים|ות|ית|[התי])$/u;
/** Letters have another form at the end of a word. */
const FINAL_FORMS: Readonly<Record<string, string>> = { ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' };
const MARKS = /\p{M}/gu;
/** Nearly all roots have three letters. */
const MIN_LETTERS = 3;

/**
 * Returns the stems of a Hebrew word, without vowel marks: of the word as it is, and of what is left without each possible prefix. A
 * light stemmer: there is none in Snowball.
 */
export function stemHebrew(word: string): string[] {
  const letters = word.replace(MARKS, '');
  const stems = [withoutEnding(letters)];
  for (let length = 1; length <= Math.min(MAX_PREFIX_LETTERS, letters.length - MIN_LETTERS); length += 1) {
    if (PREFIX.test(letters.slice(0, length))) stems.push(withoutEnding(letters.slice(length)));
  }
  return [...new Set(stems)];
}

function withoutEnding(word: string): string {
  const stem = word.replace(SUFFIX, '');
  return (stem.length < MIN_LETTERS ? word : stem).replace(/[ךםןףץ]$/u, (letter) => FINAL_FORMS[letter] ?? letter);
}
