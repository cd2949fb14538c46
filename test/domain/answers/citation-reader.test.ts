import test from 'ava';
import * as fc from 'fast-check';
import { CitationReader } from '#domain/answers/citation-reader.ts';

function readAll(pieces: readonly string[], passages = 3): { text: string; marks: { number: number; at: number }[] } {
  const reader = new CitationReader(passages);
  const read = [...pieces.map((piece) => reader.read(piece)), reader.end()];
  return { text: read.map(({ text }) => text).join(''), marks: read.flatMap(({ marks }) => marks) };
}

test('finds marks, also several in one pair of brackets, and tells where they are', (t) => {
  t.deepEqual(readAll(['Otters float [1]. They sleep [2, 3].']), {
    text: 'Otters float [1]. They sleep [2][3].',
    marks: [
      { number: 1, at: 13 },
      { number: 2, at: 29 },
      { number: 3, at: 32 },
    ],
  });
});

test('leaves out marks of passages that the model was not given', (t) => {
  t.deepEqual(readAll(['Otters float [4][99], they say [ 7 ].']), { text: 'Otters float, they say.', marks: [] });
  t.deepEqual(readAll(['Otters float [9, 2].']), { text: 'Otters float [2].', marks: [{ number: 2, at: 13 }] });
});

test('turns images into links, and never makes an image of a mark', (t) => {
  const { text } = readAll(['See ![chart](https://evil.example/?q=secret) and ![1](https://evil.example/).']);
  t.is(text, 'See [chart](https://evil.example/?q=secret) and ! [1](https://evil.example/).');
});

test('no number of exclamation marks makes an image', (t) => {
  for (const count of [7, 8, 9, 12, 100]) {
    const written = `Look${'!'.repeat(count)}[chart](https://evil.example/)`;
    const whole = readAll([written]);
    t.notRegex(whole.text, /!\[/, String(count));
    t.deepEqual(readAll(Array.from(written)), whole);
  }
});

test('a possible start of a citation or image is held back only up to its maximum length', (t) => {
  t.timeout(60_000);
  for (const run of [' ', '!', '[', '【', ' !', '! ', '[1, ', '~~~ ', '        [', '![', '<', '<a', '` ', '[ '])
    for (const size of [4, 16_000]) {
      const reader = new CitationReader(3);
      const written = run.repeat(16_000 / run.length);
      let certain = 0;
      for (let at = 0; at < written.length; at += size)
        certain += reader.read(written.slice(at, at + size)).text.length;
      const expected = readAll([written]).text.trimEnd();
      t.true(certain > expected.length - 1_700, `${run}, ${size} characters at once: ${certain} of ${expected.length}`);
    }
});

test('a number counts once within a mark, and an answer has 100 citations at most', (t) => {
  t.is(readAll(['Otters float [2, 2; 3, 2].']).text, 'Otters float [2][3].');
  const { text, marks } = readAll(Array.from({ length: 300 }, () => 'Otters float [1, 2, 1].\n'));
  t.is(marks.length, 100);
  t.is(text.match(/\[\d\]/g)?.length, 100);
});

test('puts a space into tags that could load something, and leaves those without attributes', (t) => {
  t.is(
    readAll(['<img src="https://evil.example">, <IMG/src=x> and <x:y style=z>']).text,
    '< img src="https://evil.example">, < IMG/src=x> and < x:y style=z>',
  );
  t.is(
    readAll(['<script>x</script><style>@import "x"</style>']).text,
    '< script>x</script>< style>@import "x"</style>',
  );
  for (const text of ['a < b, a <= b', 'Promise<string> and #include <stdio.h>', '<b>bold</b><br>', 'x <3'])
    t.is(readAll([text]).text, text);
});

test('a mark that is left out never makes a tag of what surrounds it', (t) => {
  for (const text of ['<[9]img src=x>', '<im[9]g src=x>', '<img[9]/src=x>', '<scr[9]ipt>', '< [9]img src=x>'])
    t.notRegex(readAll([text]).text, /<(img|script)/, text);
});

test('removes NUL characters, and joins or replaces halves of characters', (t) => {
  t.is(readAll(['Otters\0 \ud83e', '\udda6 sleep\ud83e [1\0].']).text, 'Otters \u{1f9a6} sleep\ufffd [1].');
  t.is(readAll(['end\ud83e']).text, 'end\ufffd');
});

/** What a model writes, and what the answer has; 3 passages. */
const SPELLINGS = [
  ['A [1-3].', 'A [1][2][3].'],
  ['A [1–2].', 'A [1][2].'],
  ['A [2 — 7].', 'A [2][3].'],
  ['A [1, 2-3; 9].', 'A [1][2][3].'],
  ['A【1】. B［2］. C［３］.', 'A[1]. B[2]. C[3].'],
  ['A 【7】.', 'A.'],
  ['A [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20].', 'A [1][2][3].'],
  [`A [${Array.from({ length: 50 }, (_, at) => at + 4).join(', ')}].`, 'A.'],
  ['At noon[1]. At noon [9].', 'At noon[1]. At noon.'],
  ['x = items[0] + items[7][8]', 'x = items[0] + items[7][8]'],
  ['the GDPR [2016], from [0, 1] and back [3-1]', 'the GDPR [2016], from [0, 1] and back [3-1]'],
  ['use `a [4]` and ``b`[5]``, then [5] [1]', 'use `a [4]` and ``b`[5]``, then [1]'],
  [
    '```js\nlet a = [4, 5];\nlet b = `x`;\nlet c = [7];\n```\nDone [7].',
    '```js\nlet a = [4, 5];\nlet b = `x`;\nlet c = [7];\n```\nDone.',
  ],
  ['5` long\nand [9] 3` wide', '5` long\nand 3` wide'],
  [
    'Press the ` key to open the console [1], and Esc to close it [2]. [9]',
    'Press the ` key to open the console [1], and Esc to close it [2].',
  ],
  [
    'Three backticks (```) begin a block [1]. So do tildes (~~~) [2].\nThe language follows [3]. And [9].',
    'Three backticks (```) begin a block [1]. So do tildes (~~~) [2].\nThe language follows [3]. And.',
  ],
  ['- ```js\n  let a = b [9];\n  ```\nDone [1].', '- ```js\n  let a = b [9];\n  ```\nDone [1].'],
  ['~~~\na [9]\n```\nb [9]\n~~~\nDone [9].', '~~~\na [9]\n```\nb [9]\n~~~\nDone.'],
  ['``` a\nx``` [9] still\n```\nDone [9].', '``` a\nx``` [9] still\n```\nDone.'],
  ['Write ```[9]``` so, `` ` `` or `x = [1, 9]` [9].', 'Write ```[9]``` so, `` ` `` or `x = [1, 9]`.'],
  [
    `A stray \` and ${'far '.repeat(80)}[9] to another \` [1].`,
    `A stray \` and ${'far '.repeat(80).trimEnd()} to another \` [1].`,
  ],
] as const;

test('reads marks however they are spelled, and leaves code and years alone, wherever the pieces are cut', (t) => {
  for (const [written, expected] of SPELLINGS) {
    const whole = readAll([written]);
    t.is(whole.text, expected);
    t.deepEqual(readAll(Array.from(written)), whole, written);
    for (const { number, at } of whole.marks) t.true(expected.startsWith(`[${number}]`, at), written);
  }
  t.is(readAll(['`a[1]` [1]']).marks.length, 1);
  t.is(readAll(['Press the ` key [1], then Esc [2].']).marks.length, 2);
});

test('other brackets stay as they are', (t) => {
  const text = 'The array a[i] has [n] items, [see there] and [2024-01].';
  t.deepEqual(readAll([text]), { text, marks: [] });
});

test('the result does not depend on how the text was cut into pieces', (t) => {
  const word = fc.constantFrom(
    'Otters',
    ' ',
    '  ',
    '[1]',
    '[2, 3]',
    '[9]',
    '[1-3]',
    '［2］',
    '【9】',
    '[0]',
    '`',
    '```',
    '~',
    '~~~',
    '- ',
    '!',
    '![',
    '<',
    'img',
    'script>',
    '/',
    '\0',
    '\ud83e',
    '\udda6',
    'x'.repeat(64),
    ' '.repeat(7),
    '!'.repeat(7),
    '[',
    ']',
    '(x)',
    '\n',
    '1',
    ',',
    '.',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.nat(60), { maxLength: 8 }), (words, cuts) => {
      const text = words.join('');
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
      t.deepEqual(readAll(pieces), readAll([text]));
      const read = readAll([text]);
      for (const { number, at } of read.marks) t.true(read.text.startsWith(`[${number}]`, at));
      t.notRegex(read.text, /!\[|<(?:[a-z]+[\s/]|script>)/i);
      t.true(read.text.isWellFormed() && !read.text.includes('\0'));
    }),
  );
});
