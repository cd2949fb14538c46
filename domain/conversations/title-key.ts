/**
 * Returns the key by which an index finds candidates of the title search, whose titles are then compared with the text itself. pg_trgm
 * builds trigrams from what `LC_CTYPE` classifies as letters, and in the locale `C`, which sorts alike on every system, these are ASCII
 * letters only. Therefore accents are removed, and every other non-ASCII letter is replaced by three ASCII characters.
 */
export function titleKey(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  return plain
    .replace(/\P{ASCII}/gu, (letter) => (/[\p{L}\p{N}\p{M}]/u.test(letter) ? asciiCodeOf(letter) : ' '))
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

const RADIX = 36;
const CODES = RADIX ** 3;
/** Spreads adjacent code points, which would otherwise share two of their three characters. Coprime to the radix. */
const MULTIPLIER = 7919;

function asciiCodeOf(letter: string): string {
  const code = ((letter.codePointAt(0) ?? 0) * MULTIPLIER) % CODES;
  return code.toString(RADIX).padStart(3, '0');
}
