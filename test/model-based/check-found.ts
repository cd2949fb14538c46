import assert from 'node:assert/strict';

/** Asserts that search results are unique, within reach and contain every match; if `isExact`, nothing else. */
export function checkFound(
  found: readonly string[],
  { all, withWord, isExact }: { all: readonly string[]; withWord: readonly string[]; isExact: boolean },
): void {
  assert.equal(new Set(found).size, found.length, 'duplicate search results');
  const allowed = isExact ? withWord : all;
  assert.deepEqual(
    found.filter((id) => !allowed.includes(id)),
    [],
    'unexpected search results',
  );
  assert.deepEqual(
    withWord.filter((id) => !found.includes(id)),
    [],
    'missing search results',
  );
}
