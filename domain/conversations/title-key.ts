/**
 * A title as the fuzzy search compares it. PostgreSQL's trigrams are made of what its `LC_CTYPE` calls letters, which in the
 * locale that sorts alike everywhere (`C`) are those of ASCII only: so letters lose their accents, and every other letter
 * becomes three ASCII characters of its own.
 */
export function titleKey(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  return plain
    .replace(/\P{ASCII}/gu, (letter) => (/[\p{L}\p{N}\p{M}]/u.test(letter) ? codeOf(letter) : ' '))
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

const RADIX = 36;
const CODES = RADIX ** 3;
/** Scatters neighbours in the alphabet, which would else share two of their three characters. Coprime to the radix. */
const SCATTER = 7919;

function codeOf(letter: string): string {
  const code = ((letter.codePointAt(0) ?? 0) * SCATTER) % CODES;
  return code.toString(RADIX).padStart(3, '0');
}
