import test from 'ava';
import iconv from 'iconv-lite';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

test('normalizes line ends of plain text, and removes NUL, terminal colors and the byte order mark', async (t) => {
  const { text, pages, mediaType } = await readBytes('\uFEFFfirst\r\nsec\u0000ond\rthird \u001B[31mred\u001B[0m\n', {
    name: 'a.txt',
  });
  t.is(text, 'first\nsecond\nthird red\n');
  t.deepEqual(pages, []);
  t.is(mediaType, 'text/plain');
});

const SENTENCES: readonly (readonly [charset: string, sentence: string])[] = [
  ['utf-8', 'Grüße aus Köln – “fein”'],
  ['windows-1252', 'Grüße aus Köln, schöne Straße, für die Bücher über Österreich gemäß Prüfung “fein”'],
  ['utf-16le', 'Grüße aus Köln'],
  ['utf-16be', 'Grüße aus Köln'],
  ['windows-1251', 'Съешь же ещё этих мягких французских булок, да выпей чаю. Быстрая лиса прыгает через собаку'],
  ['shift_jis', 'これは日本語の文章です。検索できるようにする必要があります。'],
  ['gb18030', '这是一个用于测试的中文文档，内容应该可以被检索到。'],
];

for (const [charset, sentence] of SENTENCES) {
  test(`text in ${charset} is decoded`, async (t) => {
    const bytes = iconv.encode(`${sentence}\n`.repeat(5), charset);
    const { text, notes } = await readBytes(bytes, { name: 'letter.txt' });
    t.is(text, `${sentence}\n`.repeat(5));
    t.is(notes['charset'] === undefined, charset === 'utf-8');
  });
}

test('decodes UTF-16 with a byte order mark without the mark', async (t) => {
  const { text } = await readBytes(iconv.encode('Grüße', 'utf-16le', { addBOM: true }), { name: 'a.txt' });
  t.is(text, 'Grüße');
});

test('reads source code as a fenced block, so that its comments are not headings', async (t) => {
  const { text, mediaType } = await readBytes('# setup\nprint("```")\n', { name: 'tool.py' });
  t.is(mediaType, 'text/x-python');
  t.is(text, '````python\n# setup\nprint("```")\n````\n');
});

test('rejects a text longer than the limit', async (t) => {
  await t.throwsAsync(readBytes('x'.repeat(2000), { name: 'a.txt', maxTextBytes: 1999 }), {
    code: 'read_output_limit',
  });
  t.is((await readBytes('x'.repeat(2000), { name: 'a.txt', maxTextBytes: 2000 })).text.length, 2000);
});

test('removes comments of Markdown outside code, and returns the title of its front matter', async (t) => {
  const markdown =
    '---\ntitle: "Field notes"\ntags: [a]\n---\n# One\n<!-- hidden -->text\n```html\n<!-- shown -->\n```\n';
  const { text, notes } = await readBytes(markdown, { name: 'notes.md' });
  t.is(text, 'title: "Field notes"\ntags: [a]\n\n# One\ntext\n```html\n<!-- shown -->\n```\n');
  t.is(notes['title'], 'Field notes');
});
