import test from 'ava';
import { createPeriodicBatch } from '#activities/uploads/periodic-batch.ts';

test('the first items of a periodic batch do not wait as long as later ones, which are worked on together', async (t) => {
  const batches: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const batch = createPeriodicBatch<number>({ firstMs: 1, laterMs: 600_000 }, async (items) => {
    batches.push(items);
    first.resolve();
  });
  batch.add(1);
  await first.promise;
  batch.add(2);
  batch.add(3);
  t.deepEqual(batches, [[1]]);
  await batch.drain();
  t.deepEqual(batches, [[1], [2, 3]]);
});
