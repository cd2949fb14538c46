/** F1 score of two bags of words: twice their common words, divided by the words of both; 1 when both are empty. */
export function wordF1(found: readonly string[], expected: readonly string[]): number {
  if (found.length + expected.length === 0) return 1;
  const left = new Map<string, number>();
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of found) {
    const times = left.get(word) ?? 0;
    if (times > 0) shared += 1;
    left.set(word, times - 1);
  }
  return (2 * shared) / (found.length + expected.length);
}

/** Each word with the next one: a bag of these tells the order of the words, which a bag of words does not. */
export function wordPairs(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]} ${word}`);
}

/**
 * Similarity of two sequences: the best order-preserving alignment, twice the sum of the similarities of its pairs
 * divided by the length of both (Needleman and Wunsch 1970, without penalties).
 */
export function sequenceSimilarity<T>(
  found: readonly T[],
  expected: readonly T[],
  similarity: (a: T, b: T) => number,
): number {
  if (found.length + expected.length === 0) return 1;
  return (2 * alignedSum(found, expected, similarity)) / (found.length + expected.length);
}

/** Similarity of two sequences of headings, which are compared by their words. */
export function headingSimilarity(found: readonly string[], expected: readonly string[]): number {
  return sequenceSimilarity(found, expected, textSimilarity);
}

/** Similarity of two sequences of tables, which are compared by their cells, aligned by row and within the row. */
export function tablesSimilarity(found: readonly string[][][], expected: readonly string[][][]): number {
  return sequenceSimilarity(found, expected, tableSimilarity);
}

function tableSimilarity(found: readonly string[][], expected: readonly string[][]): number {
  const rowSum = (a: readonly string[], b: readonly string[]): number => alignedSum(a, b, textSimilarity);
  const cells = found.flat().length + expected.flat().length;
  return cells === 0 ? 1 : (2 * alignedSum(found, expected, rowSum)) / cells;
}

function textSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  return a === '' || b === '' ? 0 : wordF1(a.split(' '), b.split(' '));
}

function alignedSum<T>(a: readonly T[], b: readonly T[], similarity: (x: T, y: T) => number): number {
  let above = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const row = [0];
    for (const [column, y] of b.entries()) {
      const best = Math.max(above[column + 1] ?? 0, row[column] ?? 0);
      const pair = (above[column] ?? 0) + 1;
      // The pair cannot improve the result, so it is not compared.
      row.push(pair <= best && typeof x === 'string' ? best : Math.max(best, pair - 1 + similarity(x, y)));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}
