import test from 'ava';
import { rerankedScores } from '#domain/search/reranked-scores.ts';

const SHARES = { areLogits: false, others: 0 };
const LOGITS = { areLogits: true, others: 0 };

test('scores from 0 to 1 are shown as they are, and logits by their logistic function', (t) => {
  t.deepEqual(rerankedScores([0.9, 0.2, 0], SHARES), [0.9, 0.2, 0]);
  const [high = 0, zero, low = 1] = rerankedScores([9, 0, -9], LOGITS);
  t.true(high > 0.99 && high < 1);
  t.is(zero, 0.5);
  t.true(low > 0 && low < 0.01);
});

test('logits are shown in the same way when all of them happen to be from 0 to 1', (t) => {
  t.deepEqual(rerankedScores([0.9, 0], LOGITS), rerankedScores([0.9, 0, -9], LOGITS).slice(0, 2));
});

test('hits that were not reranked are below the others, each below the one before', (t) => {
  t.deepEqual(rerankedScores([0.8, 0.5], { ...SHARES, others: 3 }), [0.8, 0.5, 0.25, 0.5 / 3, 0.125]);
  t.deepEqual(rerankedScores([], { ...SHARES, others: 1 }), [0.5]);
});

test('nothing is below a score of 0, so hits that follow one have the same', (t) => {
  t.deepEqual(rerankedScores([0.8, 0], { ...SHARES, others: 2 }), [0.8, 0, 0, 0]);
  t.deepEqual(rerankedScores([1, -1e9], { ...LOGITS, others: 1 }).slice(1), [0, 0]);
});
