import chardet from 'chardet';
import iconv from 'iconv-lite';
import { charsetOfLabel } from './charset-label.ts';

/** The bytes of the everyday characters of an encoding with two bytes per character, by the first one. */
type DoubleByteCharset = {
  name: string;
  /** First bytes of all characters of two bytes. */
  isLead: (byte: number) => boolean;
  /** Kana, Hangul, the first level of ideographs, punctuation and full-width forms: almost all characters of a text. */
  isCommon: (lead: number, trail: number) => boolean;
};

const isBetween = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;
const isEucLead = (byte: number): boolean => byte >= 0xa1;

/** Preferred first where statistics cannot decide. */
const DOUBLE_BYTE_CHARSETS: readonly DoubleByteCharset[] = [
  {
    name: 'shift_jis',
    isLead: (byte) => isBetween(byte, 0x81, 0x9f) || byte >= 0xe0,
    isCommon: (lead) => isBetween(lead, 0x81, 0x83) || isBetween(lead, 0x88, 0x98),
  },
  {
    name: 'gb18030',
    isLead: (byte) => byte >= 0x81,
    isCommon: (lead, trail) => trail >= 0xa1 && ([0xa1, 0xa3].includes(lead) || isBetween(lead, 0xb0, 0xd7)),
  },
  {
    name: 'euc-kr',
    isLead: isEucLead,
    isCommon: (lead, trail) => trail >= 0xa1 && ([0xa1, 0xa3].includes(lead) || isBetween(lead, 0xb0, 0xc8)),
  },
  {
    name: 'big5',
    isLead: (byte) => byte >= 0x81,
    isCommon: (lead) => lead === 0xa1 || isBetween(lead, 0xa4, 0xc6),
  },
  {
    name: 'euc-jp',
    isLead: (byte) => isEucLead(byte) || byte === 0x8e,
    isCommon: (lead) => [0x8e, 0xa1, 0xa3, 0xa4, 0xa5].includes(lead) || isBetween(lead, 0xb0, 0xcf),
  },
];
/** chardet knows nothing of a text with few characters of two bytes: it reports this confidence for each valid encoding. */
const UNKNOWN_CONFIDENCE = 10;
/** Shorter samples are repeated, so that frequencies count. */
const MIN_SAMPLE_BYTES = 2000;
const DEFAULT_CHARSET = 'windows-1252';
const DOS_CHARSET = 'cp850';
/** Bytes that are no character of an encoding, or a control character that no text has. */
const NO_CHARACTER = /[\ufffd\u0080-\u009f]/;
/** Beyond ASCII: no frames, blocks or mathematical signs. */
const ONLY_LETTERS = /^[\p{ASCII}\p{L}«»°§]*$/u;
const MIN_COMMON_SHARE = 0.9;
/** A larger share of characters beside Latin letters indicates letters with accents within words. */
const MAX_BESIDE_LATIN_SHARE = 0.34;

/**
 * The most probable encoding of a sample that is no UTF, in lower case, by statistics. Short texts in encodings with two bytes per
 * character, such as tables of names, are recognized by the characters that they would contain.
 */
export function guessCharset(sample: Uint8Array): string {
  const times = Math.max(1, Math.ceil(MIN_SAMPLE_BYTES / Math.max(1, sample.length)));
  const repeated = times === 1 ? sample : Buffer.concat(Array.from({ length: times }, () => sample));
  const guesses = chardet.analyse(repeated).map(({ name, confidence }) => ({ name: name.toLowerCase(), confidence }));
  const [best] = guesses;
  const confidenceOf = (charset: DoubleByteCharset): number =>
    guesses.find(({ name }) => name === charset.name)?.confidence ?? 0;
  const fitting = DOUBLE_BYTE_CHARSETS.filter(
    (charset) => confidenceOf(charset) >= UNKNOWN_CONFIDENCE && isPlausible(sample, charset),
  ).sort((a, b) => confidenceOf(b) - confidenceOf(a));
  const isCertain =
    best && best.confidence > UNKNOWN_CONFIDENCE && DOUBLE_BYTE_CHARSETS.some(({ name }) => name === best.name);
  const doubleByte = isCertain ? best.name : fitting[0]?.name;
  return (
    doubleByte ??
    singleByteCharset(
      sample,
      guesses.map(({ name }) => name),
    ) ??
    DEFAULT_CHARSET
  );
}

/** The first of the guesses in which all bytes of the sample are characters; else that of DOS if these are letters. */
function singleByteCharset(sample: Uint8Array, guesses: readonly string[]): string | undefined {
  const decoded = (charset: string): string => iconv.decode(sample, charset);
  const found = guesses
    .map((name) => charsetOfLabel(name) ?? '')
    .filter((name) => name !== 'utf-8' && iconv.encodingExists(name))
    .filter((name) => !DOUBLE_BYTE_CHARSETS.some((charset) => charset.name === name))
    .find((name) => !NO_CHARACTER.test(decoded(name)));
  if (found !== undefined || !NO_CHARACTER.test(decoded(DEFAULT_CHARSET))) return found;
  return ONLY_LETTERS.test(decoded(DOS_CHARSET)) ? DOS_CHARSET : undefined;
}

/** Whether the sample would consist of everyday characters in this encoding. */
function isPlausible(sample: Uint8Array, { isLead, isCommon }: DoubleByteCharset): boolean {
  let [pairs, common, besideLatin] = [0, 0, 0];
  for (let at = 0; at < sample.length; at += 1) {
    const lead = sample[at] ?? 0;
    if (lead < 0x80 || !isLead(lead)) continue;
    const trail = sample[at + 1] ?? 0;
    pairs += 1;
    if (isCommon(lead, trail)) common += 1;
    if (isLatinLetter(sample[at - 1] ?? 0) || isLatinLetter(sample[at + 2] ?? 0)) besideLatin += 1;
    at += 1;
  }
  return pairs > 0 && common >= pairs * MIN_COMMON_SHARE && besideLatin <= pairs * MAX_BESIDE_LATIN_SHARE;
}

function isLatinLetter(byte: number): boolean {
  return isBetween(byte & 0xdf, 0x41, 0x5a) && byte < 0x80;
}
