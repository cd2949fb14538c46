import test from 'ava';
import * as fc from 'fast-check';
import { checkConditions, type ConditionCheck } from '#domain/filters/check-conditions.ts';
import type { Filter, FilterRecord, JsonObject } from '#domain/filters/filter.ts';
import { createChunkReader, matchesFilter } from '#domain/filters/matches-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';

const record: FilterRecord = {
  content: {
    content_id: 'c',
    name: 'a.txt',
    type: 'text/plain',
    external_id: null,
    source: ['file', 'a.txt'],
    content_hash: null,
    size: 12,
    created_at: '2026-12-02T10:00:00Z',
  },
  metadata: { lang: 'en', tags: ['a', 'b'], nested: { year: 2026 } },
  chunk: { page: 2 },
};

function check(filter: Filter, chunks: readonly JsonObject[] = [record.chunk]): ConditionCheck[] {
  const read = createChunkReader(record);
  const { add, checks } = checkConditions(filter);
  for (const chunk of chunks) add(read(chunk));
  return checks();
}

test('all conditions hold exactly if the filter matches', (t) => {
  const condition = fc.constantFrom<object>(
    { lang: 'en' },
    { lang: { $ne: 'en' } },
    { tags: { $contains: ['a', 'c'] } },
    { 'nested.year': { $lt: 2026 } },
    { 'chunk.page': { $gte: 2 } },
    { author: { $exists: false } },
    { created_at: { $gt: '2026-12-01' } },
    { $or: [{ size: 12 }, { size: 13 }] },
    { $not: { name: 'a.txt' } },
  );
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 5 }), (conditions) => {
      const filter = parseFilter({ $and: conditions });
      if (filter === null) return t.fail();
      const checks = check(filter);
      t.is(
        checks.every(({ holds }) => holds),
        matchesFilter(filter, record),
      );
      return t.true(checks.every(({ condition: text, seen }) => text !== '' && seen.length > 0));
    }),
  );
});

test('a condition is told in words, with what the record has', (t) => {
  const filter = parseFilter({ $or: [{ created_at: { $lt: '2026-01-01' } }, { 'chunk.page': 7 }] });
  if (filter === null) return t.fail();
  return t.deepEqual(check(filter), [
    {
      condition: '(created_at < 2026-01-01T00:00:00.000Z or chunk.page is 7)',
      holds: false,
      seen: [
        { field: 'created_at', values: ['2026-12-02T10:00:00.000Z'] },
        { field: 'chunk.page', values: [2] },
      ],
    },
  ]);
});

test('a condition holds if any chunk of the content fulfils it, and else has values of several', (t) => {
  const filter = parseFilter({ 'chunk.page': 45, lang: 'de', 'chunk.part': 'x' });
  if (filter === null) return t.fail();
  const chunks = Array.from({ length: 50 }, (_, index) => ({ page: index + 1, part: `part ${index}` }));
  const [page, lang, part] = check(filter, chunks);
  t.like(page, { holds: true, seen: [{ field: 'chunk.page', values: [45] }] });
  t.like(lang, { holds: false, seen: [{ field: 'metadata.lang', values: ['en'] }] });
  t.is(part?.holds, false);
  const first = chunks.slice(0, 20).map((chunk) => chunk.part);
  return t.deepEqual(part?.seen, [{ field: 'chunk.part', values: first }]);
});
