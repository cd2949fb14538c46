/**
 * Score regularization: passages that are close to one another should have similar scores (the cluster hypothesis). A hit whose
 * nearest neighbours among the hits are ranked high is moved up, one whose neighbours are ranked low a little down. Unlike
 * feedback that changes the query, it needs no second search, and one wrong first hit does not lead the others astray.
 * Diaz, F. (2005): Regularizing ad hoc retrieval scores. CIKM. Here with different weights upwards and downwards, so that the only
 * passage about something keeps its place, and with a strength that depends on the query: few words name one thing, such as a
 * code, and what is similar to it is not what was asked for.
 */

import { searchedWords } from './searched-words.ts';

/** Hits that are ordered among themselves; those behind them stay where they are. */
export const REGULARIZED_HITS = 30;
const NEIGHBOURS = 10;
/** Exponent of the similarity, the weight of a neighbour: closer ones count more. */
const CLOSENESS = 4;
/** How far a score moves towards that of its neighbours. */
const UPWARDS = 0.7;
const DOWNWARDS = 0.3;
/** Distinct words of a query, function words apart, up to which scores stay, and from which on they move all the way. */
const [SHORT_QUERY, LONG_QUERY] = [4, 8];
/** Fewer hits are too few to have neighbours that differ. */
const MIN_HITS = 2 * NEIGHBOURS;

type ScoredVector = { score: number; vector: readonly number[] };

/** Returns how much the scores of a query are regularized, from 0 (up to four words) to 1 (eight words or more). */
export function regularizationStrength(query: string): number {
  const words = new Set(searchedWords(query).map((word) => word.toLowerCase())).size;
  return Math.min(1, Math.max(0, (words - SHORT_QUERY) / (LONG_QUERY - SHORT_QUERY)));
}

/**
 * Returns the new scores of hits, in the order of the hits, between the lowest and the highest of their scores. With fewer than
 * 20 hits the scores stay.
 */
export function regularizeScores(hits: readonly ScoredVector[], strength: number): number[] {
  const scores = hits.map(({ score }) => score);
  if (hits.length < MIN_HITS) return scores;
  const similarities = similarityMatrix(hits.map(({ vector }) => toUnit(vector)));
  return scores.map((score, index) => {
    const expected = meanOfNeighbours(scores, similarities[index] ?? scores);
    return score + strength * (expected > score ? UPWARDS : DOWNWARDS) * (expected - score);
  });
}

/** Returns the cosine similarities of all pairs; a hit is no neighbour of itself. */
function similarityMatrix(units: readonly Float64Array[]): Float64Array[] {
  const matrix = units.map(() => new Float64Array(units.length).fill(-Infinity));
  for (const [row, one] of units.entries()) {
    for (const [column, other] of units.slice(0, row).entries()) {
      const similarity = dot(one, other);
      matrix[row]?.fill(similarity, column, column + 1);
      matrix[column]?.fill(similarity, row, row + 1);
    }
  }
  return matrix;
}

/** Returns the mean score of the nearest neighbours, weighted by closeness. */
function meanOfNeighbours(scores: readonly number[], similarities: ArrayLike<number>): number {
  const nearest = [...scores.keys()]
    .sort((a, b) => (similarities[b] ?? 0) - (similarities[a] ?? 0) || a - b)
    .slice(0, NEIGHBOURS);
  let [weights, sum] = [0, 0];
  for (const place of nearest) {
    // Never 0: where nothing is similar, all count alike.
    const weight = Math.max(similarities[place] ?? 0, Number.EPSILON) ** CLOSENESS;
    weights += weight;
    sum += weight * (scores[place] ?? 0);
  }
  return sum / weights;
}

/** Returns the vector with length 1; zeros stay zeros. */
function toUnit(vector: readonly number[]): Float64Array {
  const unit = Float64Array.from(vector);
  const length = Math.sqrt(dot(unit, unit));
  if (length > 0) for (let index = 0; index < unit.length; index += 1) unit[index] = (unit[index] ?? 0) / length;
  return unit;
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
