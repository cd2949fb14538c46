import test from 'ava';
import * as fc from 'fast-check';
import { resolveField } from '#domain/filters/fields.ts';
import { fieldsOfFilter, neededFields } from '#domain/filters/needed-fields.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { objectValues } from '#domain/filters/values-by-path.ts';

test('names the columns and the keys of metadata that a filter needs, and nothing of chunks', (t) => {
  const filter = parseFilter({
    $or: [{ name: 'a' }, { 'author.name': 'b' }, { 'chunk.page': 1 }],
    $not: { lang: 'en' },
  });
  const { columns, metadataKeys } = neededFields(fieldsOfFilter(filter));
  t.deepEqual([...columns], ['name']);
  t.deepEqual(metadataKeys?.toSorted(), ['author', 'author.name', 'lang']);
  t.deepEqual(neededFields(fieldsOfFilter(null)), { columns: new Set(), metadataKeys: [] });
});

test('many keys are all keys, so that a path of dots costs no more than reading everything', (t) => {
  const fields = ['a', 'b'].map(
    (first) => ({ area: 'metadata', path: first + '.'.repeat(1_000), type: 'any' }) as const,
  );
  t.is(neededFields(fields).metadataKeys, null);
});

test('the needed keys of any metadata have all values of a path', (t) => {
  const key = fc.constantFrom('a', 'b', 'a.b', '.', '', 'b.a.', 'c');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(key, tie('value')),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value), (metadata) => {
      const all = objectValues(metadata);
      for (const [path, values] of all) {
        const field = resolveField(`metadata.${path}`);
        if (field === null) continue;
        const { metadataKeys } = neededFields([field]);
        const read = Object.fromEntries(Object.entries(metadata).filter(([name]) => metadataKeys?.includes(name)));
        t.deepEqual(objectValues(read).get(path), values, path);
      }
    }),
  );
});
