import test from 'ava';
import { addressText } from '../../../console/src/components/filters/address-text.ts';
import { parseAddressValue } from '../../../console/src/app/parse-address-value.ts';
import { filtersOf, typedValue } from '../../../console/src/pages/search/filter-row.ts';

const VALUES: readonly [field: string, typed: string, value: unknown][] = [
  ['size', '1000', 1000],
  ['price', '-1.5', -1.5],
  ['price', '1.50', 1.5],
  ['price', '10.00', 10],
  ['big', '1e+21', 1e21],
  ['flag', 'true', true],
  ['flag', 'null', null],
  ['ticket', '12345678901234567890', '12345678901234567890'],
  ['ticket', '9007199254740993', '9007199254740993'],
  ['score', '0.0000001', 1e-7],
  ['score', '0.12345678901234567890', 0.12345678901234568],
  ['ticket', '007', '007'],
  ['ticket', '1e5', '1e5'],
  ['ticket', '0x10', '0x10'],
  ['ticket', 'Infinity', 'Infinity'],
  ['ticket', '"42"', '42'],
  ['external_id', '20260301', '20260301'],
  ['external_id', '"20260301"', '20260301'],
  ['name', '2026', '2026'],
  ['name', 'true', 'true'],
  ['external_id', 'null', null],
  ['external_id', '"null"', 'null'],
];

for (const [field, typed, value] of VALUES) {
  test(`a filter of ${field} by ${typed} compares with ${JSON.stringify(value)}`, (t) => {
    t.deepEqual(filtersOf([{ field, operator: '$eq', value: typed }], false), { [field]: value });
    t.deepEqual(filtersOf([{ field, operator: '$in', value: `${typed}, x` }], false), {
      [field]: { $in: [value, 'x'] },
    });
  });
}

for (const [typed, value] of [
  ['0.0000001', 1e-7],
  ['-.5', -0.5],
  ['007', 7],
  ['1e5', 100_000],
  ['12345678901234567890', 12_345_678_901_234_567_000],
  ['2026-05-01', '2026-05-01'],
  ['1e999', '1e999'],
  ['0x10', '0x10'],
  ['"42"', '42'],
] as const) {
  test(`a field is greater or less than ${typed}: compared with ${JSON.stringify(value)}`, (t) => {
    for (const operator of ['$gt', '$gte', '$lt', '$lte'] as const) {
      t.deepEqual(filtersOf([{ field: 'size', operator, value: typed }], false), { size: { [operator]: value } });
    }
  });
}

test('a value that a field has is written so that it is read as the same one', (t) => {
  for (const value of [
    '007',
    '1.50',
    '0.12345678901234567890',
    '42',
    'null',
    'a, b',
    'plain',
    42,
    1.5,
    1e21,
    1e-7,
    true,
  ]) {
    t.deepEqual(filtersOf([{ field: 'any', operator: '$eq', value: typedValue(value) }], false), { any: value });
  }
});

const ADDRESSES: readonly [written: string, text: string | undefined][] = [
  ['1234567890123456789', '1234567890123456789'],
  ['2024', '2024'],
  ['007', '007'],
  ['1e21', '1e21'],
  ['1.0', '1.0'],
  ['true', 'true'],
  ['null', 'null'],
  ['"2024"', '2024'],
  ['otters', 'otters'],
  ['""', undefined],
  ['[1]', undefined],
];

for (const [written, text] of ADDRESSES) {
  test(`${written} in the address of a page stands for ${text ?? 'no text'}`, (t) => {
    t.is(addressText(parsedOrText(written)), text);
  });
}

/** As the router reads a value: what cannot be parsed is a text. */
function parsedOrText(written: string): unknown {
  try {
    return parseAddressValue(written);
  } catch {
    return written;
  }
}
