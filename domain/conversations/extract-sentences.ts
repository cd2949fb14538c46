import { findSentenceEnds } from '#domain/chunking/sentences.ts';

/**
 * Returns the most representative sentences, verbatim and in their original order, of together at most `maxCharacters`
 * characters. TextRank: PageRank over a graph of sentences. The weight of an edge is the number of shared words divided by the
 * sum of the logarithms of the two sentence lengths. Mihalcea, R., Tarau, P. (2004): TextRank: Bringing order into texts. EMNLP.
 * Only the last `MAX_SENTENCES` sentences are ranked.
 */
export function extractSentences(texts: readonly string[], maxCharacters: number): string[] {
  const sentences = texts.flatMap(splitSentences).slice(-MAX_SENTENCES);
  const wordSets = sentences.map((sentence) => new Set(wordsOf(sentence)));
  const ranks = pageRank(computeSimilarities(wordSets));
  const bestFirst = sentences.map((_, index) => index).sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  const selected = new Set<number>();
  const selectedTexts = new Set<string>();
  let remainingCharacters = maxCharacters;
  for (const index of bestFirst) {
    const sentence = sentences[index] ?? '';
    if (sentence.length > remainingCharacters || selectedTexts.has(sentence)) continue;
    selected.add(index);
    selectedTexts.add(sentence);
    remainingCharacters -= sentence.length + 1;
  }
  return sentences.filter((_, index) => selected.has(index));
}

const MAX_SENTENCES = 300;
const DAMPING = 0.85;
const MAX_ROUNDS = 50;
const CONVERGENCE_THRESHOLD = 1e-6;
/** Shorter words are mostly function words, which carry little meaning. */
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

/** Returns a symmetric matrix with zeros on the diagonal. */
function computeSimilarities(wordSets: readonly Set<string>[]): number[][] {
  const matrix = wordSets.map(() => wordSets.map(() => 0));
  wordSets.forEach((one, row) => {
    for (let column = 0; column < row; column += 1) {
      const other = wordSets[column] ?? new Set();
      let shared = 0;
      for (const word of other) if (one.has(word)) shared += 1;
      // The logarithm of a length of one word is 0: a minimum denominator avoids a division by zero.
      const weight = shared === 0 ? 0 : shared / Math.max(Math.log(one.size) + Math.log(other.size), Math.LN2);
      (matrix[row] ?? [])[column] = weight;
      (matrix[column] ?? [])[row] = weight;
    }
  });
  return matrix;
}

/** PageRank by power iteration. */
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
    if (change < CONVERGENCE_THRESHOLD) break;
  }
  return ranks;
}
