import test from 'ava';
import { array, assert, integer, property } from 'fast-check';
import { residualVersions } from '#domain/contents/residual-versions.ts';

test('returns all versions up to the highest, except live ones, as spans', (t) => {
  t.deepEqual(residualVersions([], 5), [{ from: 1, to: 5 }]);
  t.deepEqual(residualVersions([2], 2), [{ from: 1, to: 1 }]);
  t.deepEqual(residualVersions([2, 1], 2), []);
  t.deepEqual(residualVersions([4, 7], 8), [
    { from: 1, to: 3 },
    { from: 5, to: 6 },
    { from: 8, to: 8 },
  ]);
  t.deepEqual(residualVersions([], 0), []);
});

test('classifies every version as either dead or live', (t) => {
  const version = integer({ min: 1, max: 30 });
  assert(
    property(array(version), integer({ min: 0, max: 25 }), (living, highest) => {
      const dead = residualVersions(living, highest).flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, after) => from + after),
      );
      const expected = Array.from({ length: highest }, (_, before) => before + 1).filter((v) => !living.includes(v));
      t.deepEqual(dead, expected);
    }),
  );
});
