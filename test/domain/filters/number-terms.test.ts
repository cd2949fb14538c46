import test from 'ava';
import * as fc from 'fast-check';
import { exactNumberTerm, numberPrefixTerms, numberRangeTerms } from '#domain/filters/number-terms.ts';

const finite = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    Number.MIN_VALUE,
    -Number.MIN_VALUE,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    Number.MAX_SAFE_INTEGER,
  ),
);

test('orders terms as their numbers', (t) => {
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      t.is(exactNumberTerm(a) < exactNumberTerm(b), a < b);
      t.is(exactNumberTerm(a) === exactNumberTerm(b), a === b);
    }),
  );
});

test('matches exactly one prefix of a range for numbers inside it, and none outside', (t) => {
  const near = fc
    .tuple(finite, fc.integer({ min: -3, max: 3 }))
    .map(([value, steps]) => [value, value + steps] as const);
  fc.assert(
    fc.property(fc.oneof(near, fc.tuple(finite, finite)), ([value, bound]) => {
      if (!Number.isFinite(bound)) return;
      const prefixes = numberPrefixTerms(value);
      const hits = (kind: 'gt' | 'gte' | 'lt' | 'lte'): number =>
        numberRangeTerms(kind, bound).filter((term) => prefixes.includes(term)).length;
      t.is(hits('gt'), Number(value > bound));
      t.is(hits('gte'), Number(value >= bound));
      t.is(hits('lt'), Number(value < bound));
      t.is(hits('lte'), Number(value <= bound));
    }),
    { numRuns: 2_000 },
  );
});

test('needs at most 272 terms for a range', (t) => {
  fc.assert(
    fc.property(finite, fc.constantFrom('gt', 'gte', 'lt', 'lte'), (bound, kind) =>
      t.true(numberRangeTerms(kind, bound).length <= 272),
    ),
  );
});
