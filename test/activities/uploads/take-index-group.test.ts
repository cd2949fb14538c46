import test from 'ava';
import { takeIndexGroup, type ReadyToIndex } from '#activities/uploads/take-index-group.ts';

function contents(...described: readonly [id: string, chunks: number, isRepeated?: boolean][]): ReadyToIndex[] {
  return described.map(([content_id, chunks, isRepeated = false]) => ({ content_id, chunks, isRepeated }));
}

test('small contents are indexed before large ones', (t) => {
  const waiting = contents(['a', 90], ['b', 2], ['c', 7], ['d', 1]);
  t.deepEqual(takeIndexGroup(waiting, 16).contentIds, ['d', 'b', 'c']);
  t.deepEqual(takeIndexGroup(waiting, 16).contentIds, ['a'], 'a content that exceeds the limit alone is taken alone');
  t.deepEqual(waiting, []);
  t.deepEqual(takeIndexGroup(waiting, 16).contentIds, []);
});

test('contents of the same size keep their order', (t) => {
  t.deepEqual(takeIndexGroup(contents(['b', 1], ['a', 1], ['c', 1]), 2).contentIds, ['b', 'a']);
});

test('contents that may be in the index already are a group of their own', (t) => {
  const waiting = contents(['a', 1, true], ['b', 5], ['c', 2, true]);
  t.deepEqual(takeIndexGroup(waiting, 16), { contentIds: ['b'], isRepeated: false });
  t.deepEqual(takeIndexGroup(waiting, 16), { contentIds: ['a', 'c'], isRepeated: true });
});
