import test from 'ava';
import { FairQueue } from '#domain/fair-queue.ts';

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) {
    taken.push(next.item);
    next.release();
  }
  return taken;
}

test('shares are served in turn, each in the order in which its items were added', (t) => {
  const queue = new FairQueue<string>(1);
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { lane: 0, share: 'a' });
  for (const item of ['b1', 'b2']) queue.add(item, { lane: 0, share: 'b' });
  t.is(queue.size, 5);
  t.deepEqual(takeAll(queue), ['a1', 'b1', 'a2', 'b2', 'a3']);
  t.is(queue.size, 0);
});

test('a share that already holds slots waits until one with fewer is served', (t) => {
  const queue = new FairQueue<string>(1);
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { lane: 0, share: 'a' });
  const held = [queue.take(), queue.take()];
  t.deepEqual(
    held.map((one) => one?.item),
    ['a1', 'a2'],
  );
  for (const item of ['b1', 'b2', 'b3']) queue.add(item, { lane: 0, share: 'b' });
  t.is(queue.take()?.item, 'b1');
  t.is(queue.take()?.item, 'b2', 'b holds one slot, a holds two');
  held[0]?.release();
  held[0]?.release();
  t.is(queue.take()?.item, 'a3', 'a holds one slot now, b holds two; a second release counts nothing');
});

test('lower lanes are served first, and a slot can be reserved for them', (t) => {
  const queue = new FairQueue<string>(3);
  queue.add('bulk', { lane: 2, share: 'a' });
  queue.add('express', { lane: 1, share: 'a' });
  queue.add('query', { lane: 0, share: 'b' });
  t.is(queue.take()?.item, 'query');
  t.is(queue.take(1)?.item, 'express');
  t.is(queue.take(1), null);
  t.is(queue.take()?.item, 'bulk');
  t.throws(() => queue.add('x', { lane: 3, share: 'a' }), { instanceOf: RangeError });
});

test('removed items are not served', (t) => {
  const queue = new FairQueue<string>(2);
  queue.add('a1', { lane: 0, share: 'a' });
  queue.add('b1', { lane: 0, share: 'b' });
  queue.add('a2', { lane: 1, share: 'a' });
  t.deepEqual(
    queue.remove((item) => item.startsWith('a')),
    ['a1', 'a2'],
  );
  t.is(queue.size, 1);
  t.deepEqual(takeAll(queue), ['b1']);
});
