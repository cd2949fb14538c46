import { type SentenceTerms, inverseFrequencies } from './sentence-terms.ts';

/** Repeating a term is worth less each time: its coverage is its number of occurrences to this power. */
const CONCAVITY = 0.75;
/** Frequent terms are what the text is about: a term weighs its rarity times its frequency to this power. */
const FREQUENCY_POWER = 0.25;
/** Tokens that each sentence costs in addition to its own, so that fragments of a word or two do not come first. */
const FIXED_COST = 5;
/**
 * A sentence is taken when its gain is still nearly what the heap says, so that each gain is computed a few hundred times at
 * most; otherwise every line of a log would be computed again after every other. Badanidiyuru, A., Vondrák, J. (2014): Fast
 * algorithms for maximizing submodular functions, SODA.
 */
const CLOSE_ENOUGH = 0.98;
/** Beyond this many occurrences the value of another one no longer decreases. */
const MOST_COUNTED = 1_000;
const GAINS = Float64Array.from({ length: MOST_COUNTED }, (_, count) => (count + 1) ** CONCAVITY - count ** CONCAVITY);

/**
 * Yields sentences in the order in which they add most to the covered part of the text for their cost: greedy maximization of a
 * monotone submodular function under a budget. Lin, H., Bilmes, J. (2011): A class of submodular functions for document
 * summarization, ACL. Gains only decrease, so a gain is computed again only when its sentence is at the top (Minoux 1978).
 */
export function* orderByCoverage(sentences: SentenceTerms, costs: readonly number[]): Generator<number> {
  const rarity = inverseFrequencies(sentences);
  const worth = rarity.map((weight, term) => weight * (sentences.frequencies[term] ?? 0) ** FREQUENCY_POWER);
  const said = new Uint32Array(worth.length);
  const gainOf = (sentence: number) => {
    let gain = 0;
    for (const term of sentences.terms[sentence] ?? []) {
      gain += (worth[term] ?? 0) * (GAINS[Math.min(said[term] ?? 0, MOST_COUNTED - 1)] ?? 0);
    }
    return gain / ((costs[sentence] ?? 0) + FIXED_COST);
  };
  const waiting = new GainHeap(Float64Array.from(sentences.terms, (_, sentence) => gainOf(sentence)));
  for (let top = waiting.top(); top !== null; top = waiting.top()) {
    if (waiting.isOutdated(gainOf(top))) continue;
    waiting.pop();
    for (const term of sentences.terms[top] ?? []) said[term] = (said[term] ?? 0) + 1;
    yield top;
  }
}

/** A heap of sentences, largest gain first; ties are broken by position in the text. */
class GainHeap {
  readonly #gains: Float64Array;
  readonly #heap: Uint32Array;
  #size: number;

  constructor(gains: Float64Array) {
    this.#gains = gains;
    this.#heap = Uint32Array.from(gains, (_, sentence) => sentence);
    this.#size = gains.length;
    for (let at = Math.floor(this.#size / 2) - 1; at >= 0; at -= 1) this.#sift(at);
  }

  top(): number | null {
    return this.#size === 0 ? null : (this.#heap[0] ?? null);
  }

  /** Updates the gain of the top; true when it has decreased so much that another sentence is now at the top. */
  isOutdated(gain: number): boolean {
    const top = this.#heap[0] ?? 0;
    if (gain >= CLOSE_ENOUGH * (this.#gains[top] ?? 0)) return false;
    this.#gains[top] = gain;
    this.#sift(0);
    return this.#heap[0] !== top;
  }

  pop(): void {
    this.#size -= 1;
    this.#heap[0] = this.#heap[this.#size] ?? 0;
    this.#sift(0);
  }

  #isBefore(one: number, other: number): boolean {
    const [mine, theirs] = [this.#heap[one] ?? 0, this.#heap[other] ?? 0];
    const difference = (this.#gains[mine] ?? 0) - (this.#gains[theirs] ?? 0);
    return difference > 0 || (difference === 0 && mine < theirs);
  }

  #sift(from: number): void {
    for (let at = from; ;) {
      const left = 2 * at + 1;
      let first = at;
      for (const child of [left, left + 1]) if (child < this.#size && this.#isBefore(child, first)) first = child;
      if (first === at) return;
      [this.#heap[at], this.#heap[first]] = [this.#heap[first] ?? 0, this.#heap[at] ?? 0];
      at = first;
    }
  }
}
