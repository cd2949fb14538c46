import { stemmer } from 'stemmer';
import { FUNCTION_WORDS } from '#domain/search/function-words.ts';
import type { Unit } from '#domain/compression/split-units.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces; their terms are pairs of characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LATIN = /^[a-z]+$/;
const MAX_WORD_CHARACTERS = 40;

/** Sentences as bags of numbered terms. */
export type SentenceTerms = {
  /** Distinct terms of each sentence. */
  terms: Uint32Array[];
  /** Occurrences of each of these terms in the sentence. */
  counts: Uint16Array[];
  /** Number of terms of each sentence, with repetitions. */
  lengths: Uint32Array;
  /** Number of sentences in which each term occurs. */
  frequencies: Uint32Array;
  /** Returns the number of a term; undefined when it does not occur. */
  numberOf(term: string): number | undefined;
};

/** Reads the terms of sentences: stems of words other than function words, and pairs of characters in unspaced scripts. */
export function readTerms(text: string, units: readonly Unit[]): SentenceTerms {
  const numbers = new Map<string, number>();
  const known = new Map<string, readonly string[]>();
  const frequencies: number[] = [];
  const terms: Uint32Array[] = [];
  const counts: Uint16Array[] = [];
  const lengths = new Uint32Array(units.length);
  units.forEach(({ from, to }, index) => {
    const bag = new Map<number, number>();
    for (const term of termsOf(text.slice(from, to), known)) {
      const number = numbers.get(term) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(term, number);
        frequencies.push(0);
      }
      const count = bag.get(number) ?? 0;
      if (count === 0) frequencies[number] = (frequencies[number] ?? 0) + 1;
      bag.set(number, count + 1);
      lengths[index] = (lengths[index] ?? 0) + 1;
    }
    terms.push(Uint32Array.from(bag.keys()));
    counts.push(Uint16Array.from(bag.values()));
  });
  return { terms, counts, lengths, frequencies: Uint32Array.from(frequencies), numberOf: (term) => numbers.get(term) };
}

/** Returns the terms of a text in order. `known` caches words between calls, because stemming takes most of the time. */
export function termsOf(text: string, known: Map<string, readonly string[]> = new Map()): string[] {
  const all: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    const seen = known.get(word);
    if (seen) {
      all.push(...seen);
      continue;
    }
    const made = termsOfWord(word);
    if (word.length <= MAX_WORD_CHARACTERS) known.set(word, made);
    all.push(...made);
  }
  return all;
}

function termsOfWord(word: string): readonly string[] {
  if (UNSPACED.test(word)) {
    const characters = Array.from(word);
    return characters.length === 1 ? characters : characters.slice(1).map((each, at) => `${characters[at]}${each}`);
  }
  if (FUNCTION_WORDS.has(word)) return [];
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '').slice(0, MAX_WORD_CHARACTERS);
  return [LATIN.test(plain) ? stemmer(plain) : plain];
}

/** Returns the inverse document frequency of each term: the log odds that a sentence does not contain it. */
export function inverseFrequencies({ frequencies, terms }: SentenceTerms): Float64Array {
  return Float64Array.from(frequencies, (frequency) =>
    Math.log(1 + (terms.length - frequency + 0.5) / (frequency + 0.5)),
  );
}
