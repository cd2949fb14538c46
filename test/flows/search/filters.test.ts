import test from 'ava';
import { pdf } from '#test/support/fixtures/documents.ts';
import { startFlow, type Flow } from '#test/support/harness/flow.ts';

const animals = [
  { name: 'ant.txt', metadata: { legs: 6, tags: ['small', 'social'], size: { cm: 0.5 }, seen: '2024-03-01' } },
  { name: 'bear.txt', metadata: { legs: 4, tags: ['big'], size: { cm: 220 }, seen: '2024-09-15T10:00:00Z' } },
  { name: 'crow.txt', metadata: { legs: 2, tags: ['social'], size: { cm: 47 }, wings: true } },
  { name: 'dace.txt', metadata: { legs: 0, size: { cm: -1 } } },
];

async function withAnimals(): Promise<Flow> {
  const flow = await startFlow();
  await Promise.all(
    animals.map(({ name, metadata }) =>
      flow.upload(
        ['file', new File([`An animal, described in ${name}.`], name)],
        ['metadata', JSON.stringify(metadata)],
      ),
    ),
  );
  return flow;
}

/** Filters and the first letters of the files that match. */
const cases: [filters: Record<string, unknown>, letters: string][] = [
  [{}, 'abcd'],
  [{ legs: 4 }, 'b'],
  [{ 'metadata.legs': { $eq: 4 } }, 'b'],
  [{ legs: { $ne: 4 } }, 'acd'],
  [{ legs: { $in: [0, 6] } }, 'ad'],
  [{ legs: { $nin: [0, 6] } }, 'bc'],
  [{ legs: { $gt: 2 } }, 'ab'],
  [{ legs: { $gte: 2, $lt: 6 } }, 'bc'],
  [{ 'size.cm': { $lte: 0.5 } }, 'ad'],
  [{ 'size.cm': { $gt: 0.5, $lt: 219.5 } }, 'c'],
  [{ tags: 'social' }, 'ac'],
  [{ tags: { $contains: 'big' } }, 'b'],
  [{ tags: { $exists: false } }, 'd'],
  [{ wings: { $ne: true } }, 'abd'],
  [{ wings: true }, 'c'],
  [{ absent: 'x' }, ''],
  [{ absent: { $nin: ['x'] } }, 'abcd'],
  [{ seen: { $gte: '2024-03-01', $lt: '2024-09-01' } }, 'a'],
  [{ name: 'crow.txt' }, 'c'],
  [{ name: { $in: ['crow.txt', 'dace.txt'] }, legs: { $gte: 1 } }, 'c'],
  [{ $or: [{ legs: 6 }, { wings: true }] }, 'ac'],
  [{ $not: { tags: { $exists: true } } }, 'd'],
  [{ type: 'text/plain', source: 'file' }, 'abcd'],
  [{ type: 'application/pdf' }, ''],
  [{ 'chunk.start': 0, 'chunk.page': { $exists: false } }, 'abcd'],
];

test('filters return exactly the matching contents, in every search type', async (t) => {
  const flow = await withAnimals();
  for (const [filters, letters] of cases) {
    for (const search_type of ['vector', 'keyword', 'hybrid'] as const) {
      const found = await flow.search('animal', { filters, search_type });
      const names = found.map(({ source }) => source.charAt(0)).toSorted((a, b) => a.localeCompare(b));
      t.is(names.join(''), letters, `${JSON.stringify(filters)} by ${search_type}`);
    }
  }
});

test('a page filter returns the chunks that begin on that page', async (t) => {
  const flow = await startFlow();
  const pages = [1, 2, 3].map((page) =>
    Array.from({ length: 45 }, (_, line) => ({
      text: `Page ${page} line ${line}: the ferry timetable lists departure ${page * 100 + line} from the quay.`,
      y: 780 - line * 15,
    })),
  );
  await flow.upload(['file', new File([pdf(pages)], 'timetable.pdf')]);
  const pagesOf = async (filter: unknown) => {
    const found = await flow.search('ferry timetable', { filters: { 'chunk.page': filter }, max_results: 100 });
    return found.map(({ metadata }) => (metadata['chunk'] as { page: number }).page).toSorted((a, b) => a - b);
  };
  const all = await pagesOf({ $exists: true });
  t.deepEqual([...new Set(all)], [1, 2, 3]);
  t.deepEqual(
    await pagesOf(2),
    all.filter((page) => page === 2),
  );
  t.deepEqual(
    await pagesOf({ $gte: 2, $lt: 3 }),
    all.filter((page) => page === 2),
  );
  t.deepEqual(
    await pagesOf({ $in: [1, 3, 9] }),
    all.filter((page) => page !== 2),
  );
  t.deepEqual(await pagesOf({ $gt: 3 }), []);
});

test('a search returns max_results results when there are enough', async (t) => {
  const flow = await startFlow();
  const files = Array.from(
    { length: 120 },
    (_, index) => ['files', new File([`Item ${index}: wool.`], `${index}`)] as const,
  );
  await flow.upload(...files);
  for (const search_type of ['vector', 'keyword', 'hybrid'] as const) {
    for (const max_results of [1, 99, 100]) {
      const found = await flow.search('wool', { search_type, max_results });
      t.is(found.length, max_results, search_type);
      t.is(new Set(found.map(({ content_id }) => content_id)).size, max_results, 'no result is repeated');
      t.deepEqual(
        found.map(({ score }) => score),
        found.map(({ score }) => score).toSorted((a, b) => b - a),
      );
    }
    t.is((await flow.search('wool', { search_type })).length, 10);
  }
});
