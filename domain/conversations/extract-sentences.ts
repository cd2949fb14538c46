import { findSentenceEnds } from '#domain/chunking/sentences.ts';

/**
 * The sentences that say most, verbatim and in their order, together at most so many characters. TextRank: sentences vote
 * for those they share words with, by PageRank over a graph whose edges are shared words over the logarithms of the lengths.
 * Mihalcea, R., Tarau, P. (2004): TextRank: Bringing order into texts. EMNLP.
 * Of very long material only the last `MAX_SENTENCES` sentences are weighed.
 */
export function extractSentences(texts: readonly string[], maxCharacters: number): string[] {
  const sentences = texts.flatMap(splitSentences).slice(-MAX_SENTENCES);
  const bags = sentences.map((sentence) => new Set(wordsOf(sentence)));
  const ranks = pageRank(computeSimilarities(bags));
  const order = sentences.map((_, index) => index).sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  const chosen = new Set<number>();
  const said = new Set<string>();
  let room = maxCharacters;
  for (const index of order) {
    const sentence = sentences[index] ?? '';
    if (sentence.length > room || said.has(sentence)) continue;
    chosen.add(index);
    said.add(sentence);
    room -= sentence.length + 1;
  }
  return sentences.filter((_, index) => chosen.has(index));
}

const MAX_SENTENCES = 300;
const DAMPING = 0.85;
const MAX_ROUNDS = 50;
const CONVERGED = 1e-6;
/** Shorter words are mostly of grammar. */
const MIN_WORD_LETTERS = 3;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

function splitSentences(text: string): string[] {
  return text.split(/\n+/).flatMap((line) => {
    const ends = [...findSentenceEnds(line)].filter(({ kind }) => kind === 'sentence').map(({ end }) => end);
    return [0, ...ends]
      .map((start, index) => line.slice(start, ends[index] ?? line.length).trim())
      .filter((sentence) => sentence !== '');
  });
}

function wordsOf(sentence: string): string[] {
  const words = sentence.toLowerCase().normalize('NFC').match(WORD) ?? [];
  const long = words.filter((word) => word.length >= MIN_WORD_LETTERS);
  return long.length > 0 ? long : words;
}

/** Symmetric, with nothing on the diagonal. */
function computeSimilarities(bags: readonly Set<string>[]): number[][] {
  const matrix = bags.map(() => bags.map(() => 0));
  bags.forEach((one, row) => {
    for (let column = 0; column < row; column += 1) {
      const other = bags[column] ?? new Set();
      let shared = 0;
      for (const word of other) if (one.has(word)) shared += 1;
      // The logarithm of one word is nothing: a smallest denominator keeps single words comparable.
      const weight = shared === 0 ? 0 : shared / Math.max(Math.log(one.size) + Math.log(other.size), Math.LN2);
      (matrix[row] ?? [])[column] = weight;
      (matrix[column] ?? [])[row] = weight;
    }
  });
  return matrix;
}

/** PageRank by repeated multiplication. */
function pageRank(weights: readonly (readonly number[])[]): number[] {
  const outgoing = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  let ranks = weights.map(() => 1);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = weights.map((row) => {
      const votes = row.reduce((sum, weight, from) => {
        return weight === 0 ? sum : sum + (weight / (outgoing[from] ?? 1)) * (ranks[from] ?? 0);
      }, 0);
      return 1 - DAMPING + DAMPING * votes;
    });
    const change = Math.max(0, ...next.map((rank, index) => Math.abs(rank - (ranks[index] ?? 0))));
    ranks = next;
    if (change < CONVERGED) break;
  }
  return ranks;
}
