import test from 'ava';
import { mergeCollections } from '#domain/search/merge-collections.ts';

const hits = (...pairs: [string, number][]) => pairs.map(([id, score]) => ({ id, score }));

test('similarities of one space are compared, so the best hit of a collection about something else comes last', (t) => {
  const merged = mergeCollections([
    { space: 'a', keyword: null, vector: hits(['far', 0.1]) },
    { space: 'a', keyword: null, vector: hits(['best', 0.8], ['second', 0.7]) },
  ]);
  t.deepEqual(
    merged.map(({ id }) => id),
    ['best', 'second', 'far'],
  );
  t.is(merged[0]?.score, 1);
});

test('between spaces only ranks are compared, whatever the scale of their similarities', (t) => {
  const merged = mergeCollections([
    { space: 'narrow', keyword: null, vector: hits(['n1', 0.92], ['n2', 0.91], ['n3', 0.9]) },
    { space: 'wide', keyword: null, vector: hits(['w1', 0.5], ['w2', 0.1]) },
  ]);
  t.deepEqual(
    merged.map(({ id }) => id),
    ['n1', 'w1', 'n2', 'w2', 'n3'],
  );
});

test('a hit that both legs found comes before one that is first in a single leg, and shows both places', (t) => {
  const merged = mergeCollections([
    { space: 'a', keyword: hits(['words', 9], ['both', 8]), vector: hits(['meaning', 0.9]) },
    { space: 'b', keyword: [], vector: hits(['both', 0.4]) },
  ]);
  t.is(merged[0]?.id, 'both');
  t.deepEqual(merged[0]?.legs, { keyword: { rank: 2, score: 8 }, vector: { rank: 1, score: 0.4 } });
  t.deepEqual(merged.find(({ id }) => id === 'words')?.legs.vector, null);
});
