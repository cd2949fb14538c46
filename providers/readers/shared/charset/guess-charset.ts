import { analyseBytes, guessSingleByteCharset } from './single-byte-charset.ts';

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
const DEFAULT_CHARSET = 'windows-1252';
const MIN_COMMON_SHARE = 0.9;
/** A larger share of characters beside Latin letters indicates letters with accents within words. */
const MAX_BESIDE_LATIN_SHARE = 0.34;

/**
 * The most probable encoding of a sample that is no UTF, in lower case, by statistics. Short texts in encodings with two bytes per
 * character, such as tables of names, are recognized by the characters that they would contain.
 */
export function guessCharset(sample: Uint8Array): string {
  const singleByte = guessSingleByteCharset(sample);
  const doubleByte = singleByte?.isOtherScript ? undefined : doubleByteCharset(sample);
  return doubleByte ?? singleByte?.name ?? DEFAULT_CHARSET;
}

/** The certain guess of statistics, else the first of the possible ones that would make a plausible text. */
function doubleByteCharset(sample: Uint8Array): string | undefined {
  const guesses = analyseBytes(sample);
  const possible = guesses.flatMap(({ name, confidence }) => {
    const charset = DOUBLE_BYTE_CHARSETS.find((known) => known.name === name);
    return charset && confidence >= UNKNOWN_CONFIDENCE ? { charset, confidence } : [];
  });
  const [best] = possible;
  if (best && best.confidence > UNKNOWN_CONFIDENCE && best.charset.name === guesses[0]?.name) return best.charset.name;
  const fitting = possible.filter(({ charset }) => isPlausible(sample, charset));
  fitting.sort(
    (a, b) =>
      b.confidence - a.confidence || DOUBLE_BYTE_CHARSETS.indexOf(a.charset) - DOUBLE_BYTE_CHARSETS.indexOf(b.charset),
  );
  return fitting[0]?.charset.name;
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
