import test from 'ava';
import { chunkFacets, contentFacets, recordFacets } from '#domain/filters/facets.ts';
import type { FilterRecord, JsonObject } from '#domain/filters/filter.ts';
import { createChunkTest, matchesValues } from '#domain/filters/matches-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { objectValues } from '#domain/filters/values-by-path.ts';
import { bothAnswers } from './both-answers.ts';

const base: FilterRecord = {
  content: {
    content_id: 'c1',
    name: 'report.pdf',
    type: 'application/pdf',
    external_id: null,
    source: 'report.pdf',
    content_hash: null,
    size: 1024,
    created_at: 1_700_000_000,
  },
  metadata: {
    lang: 'en',
    year: 2024,
    price: -12.5,
    draft: false,
    tags: ['red', 'green'],
    scores: [1, 10],
    published: '2024-02-29',
    author: { name: 'Ada', born: 1815 },
    reviewers: [{ name: 'Bo' }, { name: 'Cy' }],
    nothing: null,
    none: [],
    'a.b': 1,
    a: { b: 2 },
    type: 'metadata type',
  },
  chunk: { page: 3 },
};

const cases: readonly (readonly [JsonObject, boolean])[] = [
  [{}, true],
  [{ lang: 'en' }, true],
  [{ lang: 'EN' }, false],
  [{ 'metadata.lang': { $eq: 'en' } }, true],
  [{ name: 'report.pdf', year: 2024 }, true],
  [{ name: 'report.pdf', year: 2025 }, false],
  [{ type: 'application/pdf' }, true],
  [{ 'metadata.type': 'metadata type' }, true],
  [{ year: '2024' }, false],
  [{ year: { $ne: '2024' } }, true],
  [{ absent: { $ne: 'x' } }, true],
  [{ absent: { $nin: ['x', 1] } }, true],
  [{ tags: { $ne: 'red' } }, false],
  [{ tags: { $nin: ['blue'] } }, true],
  [{ tags: 'green' }, true],
  [{ tags: { $contains: 'red' } }, true],
  [{ tags: { $contains: ['red', 'green'] } }, true],
  [{ tags: { $contains: ['red', 'blue'] } }, false],
  [{ tags: { $in: ['blue', 'red'] } }, true],
  [{ tags: { $in: [] } }, false],
  [{ tags: { $nin: [] } }, true],
  [{ lang: { $contains: 'e' } }, false],
  [{ draft: false }, true],
  [{ draft: 0 }, false],
  [{ price: { $lt: -12 } }, true],
  [{ price: { $lt: -12.5 } }, false],
  [{ price: { $lte: -12.5 } }, true],
  [{ price: { $gt: -1e308, $lt: 0 } }, true],
  [{ year: { $gte: 2024, $lt: 2025 } }, true],
  [{ year: { $gt: Number.MAX_VALUE } }, false],
  [{ scores: { $gt: 9 } }, true],
  [{ scores: { $gt: 2, $lt: 5 } }, true],
  [{ scores: { $gt: 10 } }, false],
  [{ lang: { $gt: 0 } }, false],
  [{ published: { $gte: '2024-02-29' } }, true],
  [{ published: { $gt: '2024-02-29T00:00:00Z' } }, false],
  [{ published: { $lt: '2024-03-01T00:30:00+01:00' } }, true],
  [{ published: { $gt: 0 } }, false],
  [{ year: { $gt: '1970-01-01' } }, false],
  [{ 'author.name': 'Ada' }, true],
  [{ 'metadata.author.born': { $lt: 1900 } }, true],
  [{ author: { $exists: true } }, true],
  [{ 'reviewers.name': 'Cy' }, true],
  [{ nothing: { $exists: true } }, false],
  [{ nothing: null }, true],
  [{ lang: null }, false],
  [{ lang: { $ne: null } }, true],
  [{ lang: { $in: [null, 'de'] } }, false],
  [{ absent: { $in: [null, 'de'] } }, true],
  [{ none: { $exists: true } }, true],
  [{ absent: { $exists: false } }, true],
  [{ 'a.b': 1 }, true],
  [{ 'a.b': 2 }, true],
  [{ 'chunk.page': 3 }, true],
  [{ 'chunk.page': { $gt: 3 } }, false],
  [{ page: 3 }, false],
  [{ size: { $gte: 1024 } }, true],
  [{ external_id: null }, true],
  [{ created_at: 1_700_000_000 }, true],
  [{ created_at: '2023-11-14T22:13:20Z' }, true],
  [{ created_at: { $lt: '2024-01-01' } }, true],
  [{ $or: [{ lang: 'de' }, { year: 2024 }] }, true],
  [{ $or: [{ lang: 'de' }, { lang: 'fr' }] }, false],
  [{ $and: [{ lang: 'en' }, { $not: { year: 2023 } }] }, true],
  [{ $not: { $or: [{ lang: 'en' }] } }, false],
  [{ year: { $not: { $gt: 2024 } } }, true],
  [{ year: { $not: { $not: { $gt: 2024 } } } }, false],
  [{ $not: {} }, false],
];

for (const [input, expected] of cases) {
  test(`${JSON.stringify(input)} ${expected ? 'matches' : 'does not match'}, on the row and in the index`, (t) => {
    t.deepEqual(bothAnswers(input, base), { row: expected, index: expected });
  });
}

test('gives a chunk the facets of its content and its own', (t) => {
  t.deepEqual(recordFacets(base), [...contentFacets(base.content, base.metadata), ...chunkFacets(base.chunk)]);
  t.true(chunkFacets(base.chunk).includes('k.page'));
  t.true(recordFacets(base).includes('m.lang=s:en'));
});

test('an array of many equal values costs no more than its different ones, in the filter as in the record', (t) => {
  const filter = parseFilter({ tags: { $in: Array.from({ length: 1_000 }, () => 'red') } });
  t.is(filter?.kind === 'one_of' ? filter.values.size : null, 1);
  t.is(objectValues({ tags: Array.from({ length: 13_000 }, () => 'red') }).get('tags')?.size, 1);
});

test('what the chunks of a content share is read once for all of them', (t) => {
  const filter = parseFilter({ tags: { $in: ['red', 'blue'] }, 'chunk.page': { $gt: 1 } });
  let reads = 0;
  const metadata = {
    get tags() {
      reads += 1;
      return ['red', 'green'];
    },
  };
  if (filter === null) throw new Error('there are conditions');
  const isFound = createChunkTest(filter, { content: base.content, metadata });
  t.deepEqual(
    [1, 2, 3].map((page) => isFound({ page })),
    [false, true, true],
  );
  t.is(reads, 1);
});

test('many ranges of dates read each date once', (t) => {
  const filter = parseFilter({
    $or: Array.from({ length: 100 }, (_, day) => ({ at: { $gt: `2030-01-01T00:00:00.${day}Z` } })),
  });
  let reads = 0;
  const dates = new Set(['2026-11-23']);
  const counted = Object.assign(dates, { [Symbol.iterator]: () => ((reads += 1), Set.prototype.values.call(dates)) });
  const values = { content: new Map(), metadata: new Map([['at', counted]]), chunk: new Map() };
  if (filter === null) throw new Error('there are conditions');
  t.false(matchesValues(filter, values));
  t.is(reads, 1);
});
