import test from 'ava';
import * as fc from 'fast-check';
import { dedupe } from '#providers/compressors/dedupe.ts';
import { FOLD_MARKS, unfoldText } from '#providers/compressors/unfold-text.ts';

const countTokens = (text: string) => Math.ceil(text.length / 4);
const fold = (text: string, isWhole = true) => dedupe({ text, isWhole }, countTokens);
const pad = (number: number) => String(number).padStart(2, '0');

test('folds log lines that differ in counters and times into one line and the differences', (t) => {
  const log = Array.from(
    { length: 40 },
    (_, at) => `2026-05-01T12:00:${pad(at)}Z INFO request ${100 + at} took ${(at * 37) % 11} ms for user ada`,
  ).join('\n');
  const { text, tokens, folds } = fold(log);
  t.is(folds, 1);
  t.true(tokens * 3 < countTokens(log), text);
  t.regex(text, /§like 40 2026-05-01T12:00:§1§ INFO request §2§ took §3§ ms for user ada\n§2 100 1\n00Z 0\n/);
  t.is(unfoldText(text), log);
});

test('folds objects of the same shape into a table, however their JSON is formatted', (t) => {
  const list = Array.from({ length: 12 }, (_, at) => ({
    id: at,
    name: `n${at}`,
    parts: [1, 2, 3].map((x) => ({ x })),
  }));
  const spaced = (value: unknown): string => JSON.stringify(value).replaceAll(/([,:])/g, '$1 ');
  for (const text of [
    JSON.stringify(list),
    JSON.stringify({ list }, null, 2),
    JSON.stringify(list, null, '\t'),
    spaced(list),
  ]) {
    const among = `The answer was\n${text}\nand that is all.`;
    const folded = fold(among);
    t.true(folded.text.includes('{"§rows":["id","name","parts"],"§of":[[0,"n0",'), folded.text);
    t.true(folded.tokens < countTokens(among));
    t.is(unfoldText(folded.text), among);
  }
});

test('keeps repeated paragraphs and lines once', (t) => {
  const paragraph = 'A paragraph that is long enough to be worth folding,\nof two lines that belong together.\n\n';
  const text = `${paragraph}Something else.\n\n${paragraph}${'waiting for the lock to be free\n'.repeat(30)}`;
  const folded = fold(text);
  t.is(folded.text.split('belong together').length, 2);
  t.is(folded.text.split('waiting').length, 2);
  t.is(unfoldText(folded.text), text);
});

test('does not fold JSON that would not be restored exactly', (t) => {
  for (const text of [
    `[${Array.from({ length: 9 }, () => '{"number": 1.0, "other": 12345678901234567890}').join(',\n ')}]`,
    `[${Array.from({ length: 9 }, () => '{"same":1,"same":2}').join(',')}]`,
  ])
    t.is(unfoldText(fold(text).text), text);
});

test('leaves a text that gains nothing unchanged, also one that looks folded', (t) => {
  t.like(fold('Nothing here comes twice.'), { text: 'Nothing here comes twice.', folds: 0 });
  t.is(unfoldText('any text'), 'any text');
  const folded = fold('waiting for the lock\n'.repeat(30)).text;
  t.is(unfoldText(fold(folded).text), folded);
});

const line = fc.oneof(
  fc.constantFrom('', ' ', 'a line that comes again and again', '{', '[', '"', '[[[', '§repeat 2 1', '¤like 3 x', '¶'),
  fc.constantFrom('{"a":1,"b":"x"}', '[{"a":1},{"a":2},{"a":3}]', '{"__proto__":1}', '{"1":1,"0":2}'),
  fc.tuple(fc.nat(40), fc.nat(3)).map(([a, b]) => `12:00:${pad(a)} request ${a * 2} of host${b} done`),
  fc.nat(30).map((a) => `value ${a} of -${a} and ${String(a).padStart(3, '0')}`),
  fc.json({ maxDepth: 3 }),
  fc
    .array(fc.record({ id: fc.nat(), name: fc.string() }), { minLength: 3, maxLength: 6 })
    .map((x) => JSON.stringify(x, null, 2)),
  fc.string({ maxLength: 20, unit: 'binary' }),
);
const texts = fc
  .array(fc.tuple(line, fc.integer({ min: 1, max: 8 })), { maxLength: 25 })
  .map((lines) => lines.flatMap(([text, times]) => Array.from({ length: times }, () => text)).join('\n'));

test('restores any text exactly when unfolding', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      t.is(unfoldText(fold(text).text), text);
    }),
    { numRuns: 1_000 },
  );
});

test('unfolds a text that was folded in parts', (t) => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 2, maxLength: 4 }), (parts) => {
      t.is(unfoldText(parts.map((part) => fold(part, false).text).join('\n')), parts.join(''));
    }),
    { numRuns: 300 },
  );
});

/** What takes a second in linear time would take many minutes in quadratic time, and end the test. */
test('takes linear time for quoted JSON and for a few very wide rows, and folds very many rows', (t) => {
  for (const quoted of [
    `{${'\\"key\\":\\"value\\",'.repeat(120_000)}}`,
    `[${'\\'.repeat(1_000_000)}]`,
    `{${'"'.repeat(1_000_001)}}`,
  ])
    t.is(fold(quoted).text, quoted);
  const wide = Array.from({ length: 4 }, (_, row) =>
    Array.from({ length: 130_000 }, (_word, at) => ((at * 7 + row * 3) % 4 === 0 ? 'x' : 'y')).join(','),
  ).join('\n');
  t.is(unfoldText(fold(wide).text), wide);
  const many = Array.from({ length: 200_000 }, (_, at) => ` ${(at * 31) % 97},`).join('\n');
  t.is(unfoldText(fold(many).text), many);
});

test('leaves a text that contains every marker unchanged', (t) => {
  const text = `${FOLD_MARKS.join('')}\n${'the same line, again and again\n'.repeat(20)}`;
  t.like(fold(text), { text, folds: 0 });
});
