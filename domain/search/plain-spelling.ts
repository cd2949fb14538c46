const ASCII = /^[\x20-\x7e]*$/;
/** Ligatures, forms of Arabic letters by their place in a word, and letters as wide or as narrow as others. */
const PRESENTATION_FORMS = /[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufeff\uff00-\uffef]/g;
/**
 * What is no part of a spelling: accents that no letter has, such as stress in Russian, the stroke that lengthens Arabic words, and
 * variants of a picture or a character.
 */
const ORNAMENTS = /\u0640|[\u0300-\u036f\u20d0-\u20f0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const IS_UNUSUAL = new RegExp(`${PRESENTATION_FORMS.source}|${ORNAMENTS.source}`, 'u');
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
};
const LETTERS_WITHOUT_ACCENT = /[øđłıæœß]/g;

/**
 * Returns a word in the spelling in which it is compared: composed, without compatible forms of letters and ornaments. Each word alone,
 * so that it has the same terms in a query and in a text. `isAligned`: each character stands where it stood in the word. Can contain
 * spaces, into which some Arabic ligatures fall.
 */
export function plainSpelling(word: string): { spelling: string; isAligned: boolean } {
  if (ASCII.test(word)) return { spelling: word, isAligned: true };
  const composed = word.normalize('NFC');
  if (!IS_UNUSUAL.test(composed)) return { spelling: composed, isAligned: composed === word };
  const same = composed.replace(PRESENTATION_FORMS, (letter) => letter.normalize('NFKC'));
  const spelling = same.normalize('NFC').replace(ORNAMENTS, '');
  // A form becomes one letter or several.
  return { spelling, isAligned: composed === word && same.length === word.length && spelling === same };
}

/** Removes the combining accents of Latin, Greek and Cyrillic. Marks that other scripts need for spelling stay. */
export function withoutAccents(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

/** Some letters are no letter with an accent to Unicode, but people without their keyboard type the plain one. */
export function withPlainLetters(text: string): string {
  return ASCII.test(text) ? text : text.replace(LETTERS_WITHOUT_ACCENT, (letter) => PLAIN_LETTERS[letter] ?? letter);
}
