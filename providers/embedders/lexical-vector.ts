import { stemmer } from 'stemmer';
import { toUnitVector } from './unit-vector.ts';

/** Changes whenever the vector of any text changes; vectors of different versions must not be compared. */
export const LEXICAL_VERSION = 'lexical-1';
export const LEXICAL_DIMENSIONS = 1024;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces; their features are pairs of characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LATIN = /^[a-z]+$/;
const MAX_WORD_CHARACTERS = 40;

/** Share of a word's weight that its character n-grams split; they match inflections, compounds and typing errors. */
const NGRAM_WEIGHT = 0.4;
const NGRAM_SIZE = 4;

/** Words that say nothing about the topic of a text. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again all also although am among an and any are as at be because been before being below between both but by ' +
    'can could did do does doing done down during each either etc ever every few for from further get had has have having he her ' +
    'here hers him his how however i if in into is it its itself just like many may me might more most much must my nor not of off on ' +
    'once one only or other our out over own per rather same she should since so some such than that the their them then there these ' +
    'they this those through thus to too under until up upon us very via was we were what when where whether which while who whom ' +
    'whose why will with within without would yet you your'
  ).split(' '),
);

/** The hash of a word or n-gram; `weight` is what its first occurrence in a text adds. */
type Feature = { hash: number; weight: number };

/** Cached features of words, because stemming and hashing take most of the time. */
const cachedWords = new Map<string, readonly Feature[]>();
const MAX_CACHED_WORDS = 20_000;

/**
 * Returns the vector of a text: signed feature hashing (Weinberger et al. 2009) of stemmed words and their character n-grams,
 * each weighted by 1 + ln(occurrences), scaled to length 1. Deterministic: depends on the text only.
 */
export function lexicalVector(text: string): Float32Array {
  const counts = new Map<number, { count: number; weight: number }>();
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    for (const { hash, weight } of featuresOf(word)) {
      const known = counts.get(hash);
      if (known) known.count++;
      else counts.set(hash, { count: 1, weight });
    }
  }
  const vector = new Float32Array(LEXICAL_DIMENSIONS);
  for (const [hash, { count, weight }] of counts) {
    const index = hash % LEXICAL_DIMENSIONS;
    const sign = hash >>> 31 === 0 ? 1 : -1;
    vector[index] = (vector[index] ?? 0) + sign * weight * (1 + Math.log(count));
  }
  return toUnitVector(vector);
}

function featuresOf(word: string): readonly Feature[] {
  const known = cachedWords.get(word);
  if (known) return known;
  // Unspaced runs are whole sentences, which rarely occur again: not cached.
  if (UNSPACED.test(word)) return pairFeatures(word);
  const features = wordFeatures(word.slice(0, MAX_WORD_CHARACTERS));
  if (word.length <= MAX_WORD_CHARACTERS) {
    if (cachedWords.size >= MAX_CACHED_WORDS) cachedWords.clear();
    cachedWords.set(word, features);
  }
  return features;
}

function pairFeatures(word: string): Feature[] {
  const characters = Array.from(word);
  if (characters.length === 1) return [{ hash: hashOf(`w:${word}`), weight: 1 }];
  return characters.slice(1).map((character, at) => ({ hash: hashOf(`w:${characters[at]}${character}`), weight: 1 }));
}

function wordFeatures(word: string): Feature[] {
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '');
  if (STOP_WORDS.has(plain)) return [];
  const stem = LATIN.test(plain) ? stemmer(plain) : plain;
  const padded = `<${stem}>`;
  const grams = Math.max(1, padded.length - NGRAM_SIZE + 1);
  const weight = NGRAM_WEIGHT / Math.sqrt(grams);
  const features: Feature[] = [{ hash: hashOf(`w:${stem}`), weight: 1 }];
  for (let at = 0; at < grams; at++) features.push({ hash: hashOf(`g:${padded.slice(at, at + NGRAM_SIZE)}`), weight });
  return features;
}

/** FNV-1a over UTF-16 units with MurmurHash3's finalizer, which spreads it over all 32 bits. */
function hashOf(feature: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < feature.length; at++) hash = Math.imul(hash ^ feature.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
