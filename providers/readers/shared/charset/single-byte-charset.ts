import chardet from 'chardet';
import iconv from 'iconv-lite';
import { charsetOfLabel } from './charset-label.ts';

export type CharsetGuess = {
  /** In lower case. */
  name: string;
  /** From 0 to 100. */
  confidence: number;
};

export type SingleByteGuess = {
  name: string;
  /** Whether the words beyond ASCII are well-formed ones in Cyrillic, Greek or Hebrew, which hardly happens by chance. */
  isOtherScript: boolean;
};

/** Shorter samples are repeated, so that frequencies count. */
const MIN_SAMPLE_BYTES = 2000;
const DEFAULT_CHARSET = 'windows-1252';
const DOS_CHARSET = 'cp850';
/** Encodings that statistics do not tell apart: the one of Windows, which is more usual, and the standard that it varies. */
const VARIANTS: readonly (readonly string[])[] = [
  ['windows-1250', 'iso-8859-2'],
  ['windows-1253', 'iso-8859-7'],
  ['windows-1255', 'iso-8859-8'],
];
/** Encodings that statistics may not name. */
const USUAL = [DEFAULT_CHARSET, 'windows-1250', 'windows-1251', DOS_CHARSET];
/** Confidence that is added to the most usual encoding, divided by the number of words: of a few, statistics know little. */
const PREFERENCE = 70;
const NEWLINE = 0x0a;
/** Letters in Latin-1, at least one of them beyond ASCII. */
const WORD_BEYOND_ASCII = /[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*/g;
/**
 * In windows-1252 a sign, unit or number: `€`, `™`, `2º`, `1ª`, `nº`, `2ºA`, `m²`, `5 µm`. In any encoding, words of that form are too
 * short to say more: as letters of Central European they would all be well-formed.
 */
const SIGN = /^(?:[A-Za-z]{0,2}[\x80-\xbf]|[\xd7\xf7]|[\xaa\xba][A-Z]|\xb5[A-Za-z]{1,2})$/;
/** Different words that show the encoding. */
const MAX_WORDS = 500;
/** Bytes that are no character of an encoding, or a control character that no text has. */
const NO_CHARACTER = /[\ufffd\u0080-\u009f]/;
/** Beyond ASCII: no frames, blocks or mathematical signs. */
const ONLY_LETTERS = /^[\p{ASCII}\p{L}«»°§]*$/u;
/**
 * What hardly any word has: a capital letter behind a small one, a sign before a letter, a mark of punctuation within, the Greek
 * letter for the end of a word before another one, a mark above no letter.
 */
const MALFORMED = /\p{Ll}\p{Lu}|[\p{S}\p{No}¶]\p{L}|\p{L}[¡¿]\p{L}|ς\p{L}|^\p{M}/u;
const OTHER_SCRIPTS = /^(?:[\p{Script=Cyrillic}\p{P}]+|[\p{Script=Greek}\p{P}]+|[\p{Script=Hebrew}\p{P}]+)$/u;
/** Letters beyond ASCII of languages in Latin script, as small letters: words mix them with those of no other language. */
const LATIN_ALPHABETS: readonly string[] = [
  'äöüß', // German
  'àâçéèêëîïôùûüÿœ', // French
  'áéíóúñü', // Spanish
  'áâãàçéêíóôõúü', // Portuguese
  'àçèéíïòóúü', // Catalan
  'àèéìîòù', // Italian
  'åäöéüšž', // Swedish, Finnish
  'æøåéóô', // Danish, Norwegian
  'áéíóúýðþæö', // Icelandic
  'ąćęłńóśźż', // Polish
  'áčďéěíňóřšťúůýž', // Czech
  'áäčďéíĺľňóôŕšťúýž', // Slovak
  'áéíóöőúüű', // Hungarian
  'čćđšž', // Croatian, Slovenian
  'ăâîşţ', // Romanian
  'âçğıi\u0307îöşüû', // Turkish, with the small letter of İ in two characters
  'ąčęėįšųūž', // Lithuanian
  'āčēģīķļņōŗšūž', // Latvian
  'äõöüšž', // Estonian
  'ăâđêôơưàáèéóùú', // Vietnamese
];
const LATIN_WORDS = LATIN_ALPHABETS.map((letters) => new RegExp(`^(?:[\\p{ASCII}\\P{L}${letters}])*$`, 'u'));
const GREEK_SMALL_LETTER = /[α-ω]/u;
const GREEK_ACCENT = /[άέήίόύώΐΰ]/u;
/** Encodings whose shares of odd words differ by less are equal. */
const ODD_TOLERANCE = 0.05;
const MAX_ODD_SHARE = 0.1;

/** What statistics say of a sample, the most probable encoding first. */
export function analyseBytes(sample: Uint8Array): CharsetGuess[] {
  const times = Math.max(1, Math.ceil(MIN_SAMPLE_BYTES / Math.max(1, sample.length)));
  const repeated = times === 1 ? sample : Buffer.concat(Array.from({ length: times }, () => sample));
  return chardet.analyse(repeated).map(({ name, confidence }) => ({ name: name.toLowerCase(), confidence }));
}

/**
 * The most probable encoding with one byte per character: all bytes of the sample are characters, its words look like words, and
 * their letters have the frequencies of a language. Only words beyond ASCII count: others say nothing of the encoding, and are the
 * majority in a table or a log with a few names. Undefined when no encoding fits.
 */
export function guessSingleByteCharset(sample: Uint8Array): SingleByteGuess | undefined {
  const words = wordsBeyondAscii(sample);
  const guesses = analyseBytes(words).map(({ name, confidence }) => ({ name: charsetOfLabel(name) ?? '', confidence }));
  const preference = PREFERENCE / Math.max(1, words.filter((byte) => byte === NEWLINE).length);
  const weight = ({ name, confidence }: CharsetGuess): number =>
    confidence + (name === DEFAULT_CHARSET ? preference : 0);
  const names = [...guesses.toSorted((a, b) => weight(b) - weight(a)).map(({ name }) => name), ...USUAL]
    .flatMap((name) => VARIANTS.find((variants) => variants.includes(name)) ?? [name])
    .filter((name) => isSingleByte(name) && isPossible(sample, name));
  const found = [...new Set(names)].map((name) => {
    const decoded = iconv.decode(words, name).trimEnd().split('\n');
    return { name, decoded, oddShare: oddShare(decoded) };
  });
  const least = Math.min(...found.map((guess) => guess.oddShare));
  const fitting = found.filter((guess) => guess.oddShare <= least + ODD_TOLERANCE);
  // Where it reads the same letters, only signs are different.
  const isUsual = ({ name, decoded }: (typeof found)[number]): boolean =>
    name === DEFAULT_CHARSET && decoded.join('\n') === fitting[0]?.decoded.join('\n');
  const best = fitting.find(isUsual) ?? fitting[0];
  if (best === undefined) return undefined;
  return { name: best.name, isOtherScript: best.oddShare <= MAX_ODD_SHARE && isOtherScript(best.decoded) };
}

/** Whether all bytes are characters; of DOS, whether they are letters only there. */
function isPossible(sample: Uint8Array, charset: string): boolean {
  const isWhole = (name: string): boolean => !NO_CHARACTER.test(iconv.decode(sample, name));
  if (charset !== DOS_CHARSET) return isWhole(charset);
  return !isWhole(DEFAULT_CHARSET) && ONLY_LETTERS.test(iconv.decode(sample, DOS_CHARSET));
}

/** Different words with a byte beyond ASCII, one a line, without signs. */
function wordsBeyondAscii(sample: Uint8Array): Uint8Array {
  const words = new Set(Buffer.from(sample).toString('latin1').match(WORD_BEYOND_ASCII));
  return Buffer.from(
    [...words]
      .filter((word) => !SIGN.test(word))
      .slice(0, MAX_WORDS)
      .map((word) => `${word}\n`)
      .join(''),
    'latin1',
  );
}

function isSingleByte(charset: string): boolean {
  return charset !== 'utf-8' && iconv.encodingExists(charset) && iconv.encode('一', charset).length === 1;
}

/** The share of words that belong to no language. */
function oddShare(words: readonly string[]): number {
  const all = words.join('\n');
  // In Greek almost every word has an accent; letters of Hebrew would be small ones without.
  if (GREEK_SMALL_LETTER.test(all) && !GREEK_ACCENT.test(all)) return 1;
  return words.filter(isOdd).length / words.length;
}

function isOtherScript(words: readonly string[]): boolean {
  const withLetters = words.filter((word) => /\p{L}/u.test(word));
  const others = withLetters.filter((word) => OTHER_SCRIPTS.test(word));
  return others.length > 0 && others.length >= withLetters.length * (1 - MAX_ODD_SHARE);
}

/** Whether a word is malformed, or has letters of several languages or scripts. */
function isOdd(word: string): boolean {
  if (MALFORMED.test(word)) return true;
  if (!/[^\p{ASCII}\P{Script=Latin}]/u.test(word)) return /[A-Za-z]/.test(word) && /[^\p{ASCII}\P{L}]/u.test(word);
  return !LATIN_WORDS.some((alphabet) => alphabet.test(word.toLowerCase()));
}
