import test from 'ava';
import { rankInSteps } from '#operations/search/rank-in-steps.ts';

/** A ranking whose order depends on how many hits are asked for, as that of an index does. */
function ranking(count: number) {
  const asked: number[] = [];
  return {
    asked,
    rank: (limit: number) => {
      asked.push(limit);
      const hits = Array.from({ length: Math.min(count, limit) }, (_, at) => ({ row: { id: String(at) } }));
      return Promise.resolve(limit > 100 ? hits.toReversed() : hits);
    },
  };
}

test('pages of one ranking after the other neither overlap nor skip, and the first ones need only the small one', async (t) => {
  const { asked, rank } = ranking(180);
  const ids: string[] = [];
  for (let offset = 0; offset < 180; offset += 8) {
    const hits = await rankInSteps(offset + 9, rank);
    ids.push(...hits.slice(offset, offset + 8).map(({ row }) => row.id));
  }
  t.is(new Set(ids).size, 180);
  t.is(ids.length, 180);
  t.deepEqual(
    asked.slice(0, 6),
    Array.from({ length: 6 }, () => 51),
  );
});

test('a ranking that ends within the first step is not repeated', async (t) => {
  const { asked, rank } = ranking(20);
  t.is((await rankInSteps(100, rank)).length, 20);
  t.deepEqual(asked, [51]);
});
