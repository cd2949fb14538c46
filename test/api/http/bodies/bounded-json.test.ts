import test from 'ava';
import { MAX_JSON_VALUES, parseBoundedJson } from '#api/http/request/bounded-json.ts';
import { measureJson } from '#api/http/request/measure-json.ts';

const NO_LIMITS = { values: Infinity, depth: Infinity };
const measure = (text: string) => measureJson(Buffer.from(text), NO_LIMITS);
const parse = (json: string | Buffer) => parseBoundedJson(Buffer.from(json));
const problemOf = (json: string | Buffer) => {
  const parsed = parse(json);
  return 'problem' in parsed ? parsed.problem.type : 'none';
};

/** How many values there are, counted in what was parsed. */
function countValues(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return inner.reduce<number>((sum, one) => sum + countValues(one), 1);
}

test('values are counted and their nesting is measured as in the parsed JSON', (t) => {
  for (const [text, depth] of [
    ['{}', 1],
    ['[]', 1],
    ['[1, [ ], {"a": { }}, "x", null, true, -1.5e3]', 3],
    ['{"a":[1,2,{"b":[]}],"c":{"d":"e"}}', 4],
    ['{"signs in a text, like [{,\\"}]":"\\\\","b":["\\\\\\"",","]}', 2],
    ['\n{ "a" : [ [ [ ] ] , "é, — 東京" ] }\n', 4],
  ] as const) {
    t.like(measure(text), { values: countValues(JSON.parse(text)), depth }, text);
  }
});

test('only numbers outside of texts are long ones', (t) => {
  t.true(measure('{"a":1234567890123456}').hasLongNumber);
  t.false(measure('{"a":123456789012345,"b":123456789012345}').hasLongNumber);
  t.false(measure('{"a":"1234567890123456","1234567890123456":1}').hasLongNumber);
});

test('measuring ends at the limits, and so does not go by the bytes', (t) => {
  const many = Buffer.from(`[${'{},'.repeat(100_000)}0]`);
  t.is(measureJson(many, { values: 1_000, depth: 64 }).values, 1_001);
  t.is(measureJson(Buffer.from('['.repeat(100_000)), { values: 1_000, depth: 64 }).depth, 65);
});

test('JSON with more values than the limit is refused, at any depth, and with as many it is parsed', (t) => {
  // The array and what is in it.
  const flat = (values: number) => JSON.stringify(Array(values - 1).fill(0));
  t.is(problemOf(flat(MAX_JSON_VALUES)), 'none');
  t.is(problemOf(flat(MAX_JSON_VALUES + 1)), 'too_big');
  t.is(problemOf(`{"a":[${'{"b":{}},'.repeat(MAX_JSON_VALUES / 2)}0]}`), 'too_big');
  t.is('problem' in parseBoundedJson(Buffer.from('[1,2]'), 2), true, 'of which others are left');
});

test('JSON is nested at most 64 levels deep', (t) => {
  const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  t.is(problemOf(nested(64)), 'none');
  t.is(problemOf(nested(65)), 'too_deep');
});

test('what is not a JSON object or array in UTF-8 is refused', (t) => {
  for (const text of ['', '{', 'null', '7', '"text"', '{"a":1}more', "{'a':1}", '{"a":"\0"}']) {
    t.is(problemOf(text), 'json_invalid', text);
  }
  t.is(problemOf(Buffer.from('{"memory":"caf\xe9"}', 'latin1')), 'json_invalid');
  t.is(problemOf(Buffer.from('{"memory":"café"}', 'utf16le')), 'json_invalid');
  t.deepEqual(parse('\ufeff{"memory":"café"}'), { value: { memory: 'café' }, values: 2 });
});

test('an integer that JavaScript would change is refused, and every other number is kept', (t) => {
  for (const integer of ['9007199254740993', '-1234567890123456789', '9'.repeat(400)]) {
    t.is(problemOf(`{"a":{"id":${integer}}}`), 'inexact_integer', integer);
    t.is(problemOf(`{"a":{"id":"${integer}"}}`), 'none', `${integer} as a text`);
  }
  for (const number of [
    '9007199254740992',
    '9223372036854775808',
    JSON.stringify(2 ** 63),
    '-0',
    '100000000000000000000',
    '0.12345678901234567',
    '1e300',
    '1234567890123456.5',
  ]) {
    t.deepEqual(parse(`[${number}]`), { value: [Number(number)], values: 2 }, number);
  }
});

test('the problem of an integer that JavaScript would change says where it is', (t) => {
  const problem = (json: string) => {
    const parsed = parse(json);
    return 'problem' in parsed ? parsed.problem : t.fail('it was accepted');
  };
  const { loc, msg } = problem(
    '{"memories":[{"id":1},{"id":2,"metadata":{"id":9007199254740993}}],"id":9007199254740993}',
  );
  t.deepEqual(loc, ['memories', '1', 'metadata', 'id'], 'the first one');
  t.regex(msg, /"id".*as text/);
  t.deepEqual(problem(`{"${'a'.repeat(1_000)}":[9007199254740993]}`).loc, [`${'a'.repeat(99)}…`, '0']);
  t.deepEqual(problem('{"a":').loc, []);
});

test('a key __proto__ is refused however it is written, and a text that contains it is not', (t) => {
  for (const key of ['__proto__', '\\u005f_proto__', '__\\u0070roto__']) {
    t.is(problemOf(`{"a":[{"${key}":1}]}`), 'invalid_key', key);
  }
  t.is(problemOf('{"a":"__proto__","__proto":1}'), 'none');
});
