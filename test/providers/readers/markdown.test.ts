import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const read = async (markdown: string): Promise<string> => (await readBytes(markdown, { name: 'a.md' })).text;

test('keeps what follows a comment mark in code or without an end', async (t) => {
  const shown = [
    'Use `<!--` to begin a comment.\n\nText.\n\n## More\n\nAnd `-->` to end it.\n',
    'Write ``a ` <!-- b`` and go on.\n\nText\n',
    'An arrow <!-- of an old page\n\nText --> more\n',
    '<!-- never ended\n\nText\n',
    '1. Step\n\n   ```html\n   <!-- shown -->\n   ```\n',
    '````md\n```html\n<!-- shown -->\n```\n<!-- shown too -->\n````\n',
  ];
  for (const markdown of shown) t.is(await read(markdown), markdown);
});

test('removes comments within a line, over lines and over paragraphs', async (t) => {
  t.is(await read('a <!-- x --> b `c` <!-- y --> d\n'), 'a  b `c`  d\n');
  t.is(await read('<!--\nhidden\n\n```\nhidden\n-->\nshown\n'), '\nshown\n');
  t.is(await read('a <!-- b\nc --> d\n'), 'a \n d\n');
});

test('leaves out the bytes of embedded images, not their descriptions', async (t) => {
  const bytes = 'iVBORw0KGgo'.repeat(100);
  const markdown = `Before ![a chart](data:image/png;base64,${bytes}) after.\n\n![][image1]\n\n[image1]: <data:image/png;base64,${bytes}>\n\nEnd\n`;
  t.is(await read(markdown), 'Before a chart after.\n\n![][image1]\n\n\nEnd\n');
});

test('reads lines of hostile length in linear time', async (t) => {
  const lines = [
    '`a'.repeat(200_000) + '<!-- '.repeat(200_000),
    '`x` <!-- y --> '.repeat(100_000),
    '<!-- \n'.repeat(300_000),
  ];
  for (const line of lines) t.true((await read(line)).length > 0);
});
