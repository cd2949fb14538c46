import test from 'ava';
import { feedbackQuery, feedbackVector } from '#domain/search/relevance-feedback.ts';
import { fuseRanks } from '#domain/search/fuse-ranks.ts';

test('adds the words that several hits share to a query, with less weight than its own', (t) => {
  const hits = ['The heron fishes at the weir', 'A heron fishes alone', 'Nothing alike'];
  t.is(feedbackQuery('grey bird', hits), 'grey bird grey bird grey bird fishes heron');
  t.is(feedbackQuery('grey bird', ['one of its kind']), 'grey bird');
  t.is(feedbackQuery('fishes', hits), 'fishes fishes fishes heron');
  const long = Array.from({ length: 31 }, (_, index) => `word${index}`).join(' ');
  t.is(feedbackQuery(long, hits), long);
});

test('moves a vector slightly towards the hits and keeps its length 1', (t) => {
  const moved = feedbackVector(Float32Array.of(1, 0), [
    [0, 1],
    [0, 1],
  ]);
  t.true((moved[0] ?? 0) > 0.9 && (moved[1] ?? 0) > 0.1);
  t.true(Math.abs(Math.hypot(...moved) - 1) < 1e-6);
  t.deepEqual(feedbackVector(Float32Array.of(1, 0), []), Float32Array.of(1, 0));
});

test('fuses rankings by reciprocal rank', (t) => {
  t.deepEqual(
    fuseRanks([
      ['a', 'b', 'c'],
      ['b', 'd'],
    ]),
    ['b', 'a', 'd', 'c'],
  );
  t.deepEqual(fuseRanks([]), []);
});
