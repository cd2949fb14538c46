import test from 'ava';
import { REGULARIZED_HITS, regularizationStrength, regularizeScores } from '#domain/search/regularize-scores.ts';

/** Hits with falling scores; those of a group point into one direction. */
function hits(groupOf: (index: number) => number) {
  return Array.from({ length: REGULARIZED_HITS }, (_, index) => ({
    score: 1 - index / REGULARIZED_HITS,
    vector: Array.from({ length: 4 }, (__, axis) => (axis === groupOf(index) ? 1 : 0.1)),
  }));
}

test('a hit among highly ranked neighbours moves up, and one among low ones a little down', (t) => {
  // The hit in the middle belongs to the first fifteen; the fifth one to the last.
  const found = hits((index) => (index === 20 || (index < 15 && index !== 4) ? 0 : 1));
  const scores = regularizeScores(found, 1);
  const changes = scores.map((score, index) => score - (found[index]?.score ?? 0));
  t.true((changes[20] ?? 0) > 0.2, `${changes[20]}`);
  t.true((changes[4] ?? 0) < -0.05, `${changes[4]}`);
  t.true((changes[20] ?? 0) > -(changes[4] ?? 0), 'downwards is the shorter way');
  const half = regularizeScores(found, 0.5);
  t.true(half.every((score, index) => Math.abs(score - (found[index]?.score ?? 0) - (changes[index] ?? 0) / 2) < 1e-9));
});

test('scores stay between the lowest and the highest one, whatever the vectors are', (t) => {
  for (const vectorOf of [() => [0, 0, 0], (index: number) => [index % 2 ? 1 : -1, 0, 0], () => [1e300, 1e-300, 0]]) {
    const found = hits(() => 0).map(({ score }, index) => ({ score, vector: vectorOf(index) }));
    for (const score of regularizeScores(found, 1)) t.true(score >= 1 / REGULARIZED_HITS && score <= 1, `${score}`);
  }
});

test('equal scores, few hits and short queries are left alone', (t) => {
  const equal = hits((index) => index % 3).map((hit) => ({ ...hit, score: 0.5 }));
  t.true(regularizeScores(equal, 1).every((score) => Math.abs(score - 0.5) < 1e-12));
  const few = hits((index) => index % 3).slice(0, 10);
  t.deepEqual(
    regularizeScores(few, 1),
    few.map(({ score }) => score),
  );
  t.is(regularizationStrength('what is the error ERR-1234'), 0);
  t.is(regularizationStrength('refund refund refund refund refund refund refund refund'), 0);
  t.is(regularizationStrength('how do otters, seals and walruses sleep at night in very cold water far from land'), 1);
  const middle = regularizationStrength('otters seals walruses sleep cold water');
  t.true(middle > 0 && middle < 1);
});
