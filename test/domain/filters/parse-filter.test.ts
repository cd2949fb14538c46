import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { MAX_METADATA_TERMS, metadataIssues, metadataProblem, metadataTermLimit } from '#domain/filters/facets.ts';
import { instantOfIsoDate } from '#domain/filters/iso-date.ts';
import { FILTER_LIMITS } from '#domain/filters/filter-problems.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';

function problems(input: unknown): { loc: string; type: string }[] {
  try {
    parseFilter(input);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    return error.issues.map(({ loc, type }) => ({ loc: loc.join('.'), type }));
  }
  return [];
}

test('treats a missing or empty filter as no condition', (t) => {
  t.is(parseFilter(undefined), null);
  t.is(parseFilter(null), null);
  t.is(parseFilter({}), null);
});

test('ids and hashes may be sent in capitals, other texts are compared as they are', (t) => {
  const id = 'ABCDEFAB-0000-4000-8000-00000000000F';
  const valuesOf = (input: object) => {
    const filter = parseFilter(input);
    return filter?.kind === 'one_of' ? [...filter.values] : filter;
  };
  t.deepEqual(valuesOf({ content_id: id }), [id.toLowerCase()]);
  t.deepEqual(valuesOf({ content_id: { $in: [id, id.toLowerCase()] } }), [id.toLowerCase()]);
  t.deepEqual(valuesOf({ content_hash: { $eq: 'AB01' } }), ['ab01']);
  for (const key of ['name', 'external_id', 'metadata.content_id', 'chunk.content_hash']) {
    t.deepEqual(valuesOf({ [key]: id }), [id], key);
  }
});

const refused: readonly (readonly [string, unknown, string, string])[] = [
  ['a text as filter', 'lang=en', 'body.filters', 'filter_type'],
  ['a list as filter', [{ lang: 'en' }], 'body.filters', 'filter_type'],
  ['an unknown operator below a key', { lang: { $regex: 'e' } }, 'body.filters.lang.$regex', 'unknown_operator'],
  ['an unknown operator at the top', { $nor: [{ lang: 'en' }] }, 'body.filters.$nor', 'unknown_operator'],
  ['a comparison at the top', { $eq: 'en' }, 'body.filters.$eq', 'unknown_operator'],
  ['a connective below a key', { lang: { $or: ['en', 'de'] } }, 'body.filters.lang.$or', 'unknown_operator'],
  ['a list as value', { tags: ['a'] }, 'body.filters.tags', 'not_comparable'],
  ['an object of keys as value', { author: { name: 'Ada' } }, 'body.filters.author', 'filter_type'],
  ['operators mixed with keys', { author: { $eq: 1, name: 'Ada' } }, 'body.filters.author', 'filter_type'],
  ['no operator', { lang: {} }, 'body.filters.lang', 'filter_type'],
  ['an infinite number', { year: Infinity }, 'body.filters.year', 'not_comparable'],
  ['a range over a text', { year: { $gt: 'last year' } }, 'body.filters.year.$gt', 'not_comparable'],
  ['a range over a truth value', { year: { $gt: true } }, 'body.filters.year.$gt', 'not_comparable'],
  ['a range over null', { year: { $lte: null } }, 'body.filters.year.$lte', 'not_comparable'],
  ['a range over a day that does not exist', { day: { $lt: '2023-02-29' } }, 'body.filters.day.$lt', 'not_comparable'],
  ['a range over names', { name: { $gt: '2024-01-01' } }, 'body.filters.name.$gt', 'not_comparable'],
  ['a number as name', { name: 5 }, 'body.filters.name', 'not_comparable'],
  ['a text as size', { size: '5' }, 'body.filters.size', 'not_comparable'],
  ['a text as time', { created_at: 'yesterday' }, 'body.filters.created_at', 'not_comparable'],
  ['milliseconds as time', { created_at: { $gt: 1_700_000_000_000 } }, 'body.filters.created_at.$gt', 'not_comparable'],
  ['one value for $in', { lang: { $in: 'en' } }, 'body.filters.lang.$in', 'filter_type'],
  ['an object in $in', { lang: { $in: ['en', {}] } }, 'body.filters.lang.$in.1', 'not_comparable'],
  ['$exists with a text', { lang: { $exists: 'yes' } }, 'body.filters.lang.$exists', 'filter_type'],
  ['$contains of nothing', { tags: { $contains: [] } }, 'body.filters.tags.$contains', 'filter_type'],
  ['$and of nothing', { $and: [] }, 'body.filters.$and', 'filter_type'],
  ['$or of one filter without a list', { $or: { lang: 'en' } }, 'body.filters.$or', 'filter_type'],
  ['a text in $or', { $or: [{ lang: 'en' }, 'x'] }, 'body.filters.$or.1', 'filter_type'],
  ['$not of a list', { $not: [] }, 'body.filters.$not', 'filter_type'],
  ['$not of a value below a key', { lang: { $not: 'en' } }, 'body.filters.lang.$not', 'filter_type'],
  ['a prefix without a key', { 'metadata.': 1 }, 'body.filters.metadata.', 'unknown_field'],
  ['an empty key', { '': 1 }, 'body.filters.', 'unknown_field'],
];

for (const [title, input, loc, type] of refused) {
  test(`rejects ${title}`, (t) => {
    t.deepEqual(problems(input), [{ loc, type }]);
  });
}

test('lists every problem of a filter without repeating the input', (t) => {
  const error = t.throws(
    () => parseFilter({ a: { $foo: 'SECRET' }, $or: [{ b: { $gt: 'SECRET' } }, { size: 'SECRET' }] }),
    {
      instanceOf: AppError,
    },
  );
  t.is(error?.issues.length, 3);
  t.false(JSON.stringify(error?.issues).includes('SECRET'));
});

test('accepts nesting up to the limit and rejects it beyond', (t) => {
  const nested = (levels: number): unknown => (levels === 0 ? { a: 1 } : { $not: nested(levels - 1) });
  const below = (levels: number): unknown => (levels === 0 ? { $eq: 1 } : { $not: below(levels - 1) });
  const { maxDepth } = FILTER_LIMITS;
  t.deepEqual(problems(nested(maxDepth)), []);
  t.is(problems(nested(maxDepth + 1))[0]?.type, 'filter_too_deep');
  t.deepEqual(problems({ a: below(maxDepth) }), []);
  t.is(problems({ a: below(maxDepth + 1) })[0]?.type, 'filter_too_deep');
});

test('accepts conditions and values up to their limits and rejects them beyond', (t) => {
  const { maxConditions, maxValues } = FILTER_LIMITS;
  const conditions = (count: number): unknown => ({ $or: Array.from({ length: count }, (_, index) => ({ a: index })) });
  const values = (count: number): unknown => ({ a: { $in: Array.from({ length: count }, (_, index) => index) } });
  t.deepEqual(problems(conditions(maxConditions)), []);
  t.deepEqual(problems(conditions(maxConditions + 1)), [{ loc: 'body.filters', type: 'filter_too_large' }]);
  t.deepEqual(problems(values(maxValues)), []);
  t.deepEqual(problems(values(maxValues + 1)), [{ loc: 'body.filters', type: 'filter_too_large' }]);
});

test('reads no more of a filter than its limits allow, whatever it consists of', (t) => {
  const many = <Part>(part: Part) => Array.from({ length: 100_000 }, () => part);
  const { maxConditions, maxProblems } = FILTER_LIMITS;
  t.is(parseFilter({ $and: Array.from({ length: maxConditions }, () => ({})) })?.kind, 'and');
  const large = [
    { $and: many({}) },
    { $or: many({ $and: [{ $not: {} }] }) },
    { a: { $in: many([]) } },
    { a: { $contains: many('x') } },
    Object.fromEntries(many(1).map((value, index) => [`key ${index}`, value])),
  ];
  for (const filter of large) t.deepEqual(problems(filter), [{ loc: 'body.filters', type: 'filter_too_large' }]);
  const wrong = [
    { $and: many(1) },
    { $or: many({ $nor: 1 }) },
    { a: Object.fromEntries(many(1).map((value, index) => [`$${index}`, value])) },
  ];
  for (const filter of wrong) t.is(problems(filter).length, maxProblems);
});

test('accepts metadata up to its number of terms and rejects it beyond', (t) => {
  const texts = (count: number): Record<string, unknown> => ({
    tags: Array.from({ length: count }, (_, index) => `t${index}`),
  });
  t.deepEqual(metadataIssues(texts(MAX_METADATA_TERMS - 1), ['body', 'metadata']), []);
  t.like(metadataIssues(texts(MAX_METADATA_TERMS), ['body', 'metadata'])[0], {
    loc: ['body', 'metadata'],
    type: 'metadata_too_large',
  });
});

test('the more chunks store the metadata, the fewer terms it may have, but never fewer than 128', (t) => {
  t.deepEqual([0, 1, 122, 1_000, 3_906, 100_000].map(metadataTermLimit), [4096, 4096, 4096, 500, 128, 128]);
  const keys = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`k${index}`, 'v']));
  t.is(metadataProblem(keys, 1_000), null);
  t.regex(metadataProblem({ ...keys, more: 'v' }, 1_000) ?? '', /more than 500 terms .* 1000 chunks/);
});

test('accepts metadata of a few hundred keys with numbers, dates and texts', (t) => {
  const keys = (prefix: string, value: unknown): [string, unknown][] =>
    Array.from({ length: 100 }, (_, index) => [`${prefix}${index}`, value]);
  const metadata = Object.fromEntries([
    ...keys('number', 1.5),
    ...keys('date', '2024-05-06'),
    ...keys('text', 'value'),
  ]);
  t.deepEqual(metadataIssues(metadata, ['body', 'metadata']), []);
});

test('reads metadata nested ten thousand levels deep without exhausting the stack', (t) => {
  let deep: Record<string, unknown> = { end: 1 };
  for (let level = 0; level < 10_000; level++) deep = { a: deep };
  t.is(metadataIssues(deep, ['body', 'metadata'])[0]?.type, 'metadata_too_large');
});

test('parses existing ISO dates only, and the same on every machine', (t) => {
  t.is(instantOfIsoDate('1970-01-02'), 86_400_000);
  t.is(instantOfIsoDate('1970-01-01T00:00:01'), 1_000);
  t.is(instantOfIsoDate('1970-01-01T01:00:00.1239+01:00'), 123);
  t.is(instantOfIsoDate('1969-12-31T19:00:00-0500'), 0);
  t.is(instantOfIsoDate('2024-02-29'), Date.UTC(2024, 1, 29));
  for (const text of [
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '2024-01-01T24:00:00Z',
    '2024',
    '12345-01-01',
  ]) {
    t.is(instantOfIsoDate(text), null, text);
  }
});
