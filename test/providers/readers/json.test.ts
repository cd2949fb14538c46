import test from 'ava';
import * as fc from 'fast-check';
import { describeJsonError } from '#providers/readers/text/json-error.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

async function outlineOf(value: unknown): Promise<string> {
  return (await readBytes(JSON.stringify(value), { name: 'x.json' })).text;
}

test('writes the path of its value on every line', async (t) => {
  const text = await outlineOf({
    user: { name: 'Ann', tags: ['a', 'b'], address: { city: 'Köln' } },
    active: true,
    none: null,
  });
  t.is(text, 'active: true\nnone: null\nuser.name: Ann\nuser.tags: a, b\nuser.address.city: Köln\n');
});

test('renders objects of an array as paragraphs, and restarts the paths of those in a top-level array', async (t) => {
  t.is(await outlineOf([{ id: 1 }, { id: 2 }]), 'id: 1\n\nid: 2\n\n');
  t.is(await outlineOf({ items: [{ id: 1 }, { id: 2 }] }), '\nitems[0].id: 1\n\nitems[1].id: 2\n');
});

test('keeps all digits of numbers', async (t) => {
  const { text } = await readBytes('{"id": 12345678901234567890, "pi": 3.14159265358979323846, "n": 1.50}', {
    name: 'x.json',
  });
  t.true(text.includes('id: 12345678901234567890\n'));
  t.true(text.includes('pi: 3.14159265358979323846\n'));
});

test('replaces a lone surrogate', async (t) => {
  t.is((await readBytes('{"a": "x\\ud800y"}', { name: 'x.json' })).text, 'a: x\uFFFDy\n');
});

test('reads JSON lines as records, also in a file named .json', async (t) => {
  const lines = '{"id":1,"text":"one"}\n\n{"id":2,"text":"two"}\n';
  for (const name of ['x.ndjson', 'x.jsonl', 'x.json']) {
    const { text, notes } = await readBytes(lines, { name });
    t.is(text, 'id: 1\ntext: one\n\nid: 2\ntext: two\n\n', name);
    t.is(notes['record_count'], 2);
  }
});

test('rejects invalid JSON with line and column', async (t) => {
  const error = await t.throwsAsync(readBytes('{\n  "a": 1,\n  "b" 2\n}', { name: 'x.json' }), { code: 'unreadable' });
  t.is(error?.message, 'The JSON is not valid: line 3, column 7: expected a colon.');
  const cutOff = await t.throwsAsync(readBytes('{"a": [1, 2', { name: 'x.json' }), { code: 'unreadable' });
  t.regex(cutOff?.message ?? '', /line 1, column 12: expected "," or "\]" but the file ends/);
});

test('rejects an invalid line of JSON lines with its number', async (t) => {
  const error = await t.throwsAsync(readBytes('{"a":1}\n{"a":2}\n{"a":}\n', { name: 'x.jsonl' }), {
    code: 'unreadable',
  });
  t.regex(error?.message ?? '', /^Line 3 is not valid JSON: .*expected a value/);
});

test('rejects JSON nested too deeply', async (t) => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  t.true((await readBytes(nested(150), { name: 'x.json' })).text.includes('a.a.a: 1'));
  await t.throwsAsync(readBytes(nested(100_000), { name: 'x.json' }), { code: 'unreadable', message: /200 levels/ });
});

test('locates an error inside every text that JSON.parse rejects', (t) => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', 'x')).map(([json, at, sign]) => {
    const index = at % (json.length + 1);
    return json.slice(0, index) + sign + json.slice(index + 1);
  });
  fc.assert(
    fc.property(broken, (text) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        const [, line = '0', column = '0'] = /^line (\d+), column (\d+): expected /.exec(describeJsonError(text)) ?? [];
        const lines = text.split('\n');
        return (
          Number(line) >= 1 && Number(column) >= 1 && Number(column) <= (lines[Number(line) - 1]?.length ?? -1) + 1
        );
      }
    }),
  );
  t.pass();
});
