import assert from 'node:assert/strict';

/** Nothing twice and nothing out of place; everything that has the word, and for a search by words nothing else. */
export function checkFound(
  found: readonly string[],
  { all, withWord, isExact }: { all: readonly string[]; withWord: readonly string[]; isExact: boolean },
): void {
  assert.equal(new Set(found).size, found.length, 'something is found twice');
  const allowed = isExact ? withWord : all;
  assert.deepEqual(
    found.filter((id) => !allowed.includes(id)),
    [],
    'found out of place',
  );
  assert.deepEqual(
    withWord.filter((id) => !found.includes(id)),
    [],
    'not found',
  );
}
