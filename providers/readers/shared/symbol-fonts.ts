import { codePoint } from 'dingbat-to-unicode';

/** Fonts whose characters are pictures and Greek letters, in place of those of the alphabet. */
const SYMBOL_FONT = /^(?:symbol|webdings|wingdings(?: [23])?|zapf ?dingbats)$/i;
/** Where Windows has the characters of such a font, beside the codes from 0. */
const PRIVATE = 0xf000;
const FIRST_CODE = 0x20;

export function isSymbolFont(name: string | undefined): name is string {
  return name !== undefined && SYMBOL_FONT.test(name.trim());
}

/**
 * The characters that a text in a symbol font shows: `m` in Symbol is `μ`. Those that have none are bullets outside ASCII.
 * `isPrivate` leaves all but those in the private use area as they are, for fonts that apply to nothing else.
 */
export function symbolText(font: string, text: string, { isPrivate = false } = {}): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isInPrivate = code > PRIVATE && code <= PRIVATE + 0xff;
    if (!isInPrivate && (isPrivate || code <= FIRST_CODE || code > 0xff)) return character;
    const own = isInPrivate ? code - PRIVATE : code;
    if (own <= FIRST_CODE) return ' ';
    return codePoint(font.trim(), own)?.string ?? (own > 0x7f || isInPrivate ? '•' : character);
  }).join('');
}
