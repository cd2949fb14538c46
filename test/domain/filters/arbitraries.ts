import * as fc from 'fast-check';
import type { FilterRecord } from '#domain/filters/filter.ts';

export const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'a',
    'a ',
    'a\u0000',
    'a\u00a0',
    'é',
    'e\u0301',
    '\ud800',
    '\udc00',
    'x=s:y',
    '%3D',
    '1',
    'true',
    '😀',
  ),
  fc.constantFrom(
    '2024-01-01',
    '2024-01-01T00:00:00Z',
    '2024-01-01T01:00:00+01:00',
    '1969-12-31T23:59:59.999Z',
    '2024-02-30',
  ),
  fc.constantFrom('l'.repeat(90), 'l'.repeat(400), `${'l'.repeat(399)}m`),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
export const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(
    0,
    -0,
    0.1,
    -0.1,
    1e-320,
    -5e-324,
    2 ** 53,
    2 ** 53 + 2,
    -(2 ** 63),
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    1e21,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const key = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'c', 'a.b', 'name', 'size', 'tags', '__proto__', 'constructor') },
  { weight: 1, arbitrary: fc.constantFrom('a=s:y', 'a=s', 'a%3Ds', 'k'.repeat(200), 'ключ') },
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));
const object = fc.dictionary(key, json, { maxKeys: 4 });
export const record: fc.Arbitrary<FilterRecord> = fc.record({
  content: fc.record({
    content_id: fc.constantFrom('c1', 'c2'),
    name: fc.option(text),
    type: fc.constantFrom('text/plain', null),
    external_id: fc.option(text),
    source: fc.option(text),
    content_hash: fc.constant(null),
    size: fc.option(fc.integer({ min: 0, max: 20 })),
    created_at: fc.oneof(
      fc.integer({ min: -10, max: 10 }),
      fc.constantFrom('1970-01-01T00:00:01.500Z', new Date(1500)),
    ),
  }),
  metadata: object,
  chunk: object,
});

const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'metadata.', 'chunk.'), fc.array(key, { minLength: 1, maxLength: 2 }))
    .map(([area, keys]) => area + keys.join('.')),
  fc.constantFrom('content_id', 'external_id', 'created_at', 'size'),
);
const instant = fc.oneof(
  fc.integer({ min: -12, max: 12 }),
  fc.constantFrom('1970-01-01T00:00:01Z', '1970-01-01', '2024-01-01'),
);
const operators = fc.oneof(
  fc.record({ $eq: scalar }),
  fc.record({ $ne: scalar }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $contains: fc.oneof(text, number, fc.array(fc.oneof(text, number), { minLength: 1, maxLength: 2 })) }),
  fc.dictionary(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), fc.oneof(number, instant), { minKeys: 1, maxKeys: 2 }),
);
export const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.dictionary(path, fc.oneof(scalar, operators), { maxKeys: 2 }),
    fc.record({ $and: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ $or: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ $not: tie('tree') }),
  ),
}));
