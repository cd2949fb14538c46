import test from 'ava';
import { Parser } from 'htmlparser2';
import { flattenHtml } from '#providers/readers/shared/flatten-html.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const COUNT = 3000;
/** No tree is deeper, but for a line break in its deepest element. */
const MAX_DEPTH = 201;
/** Pages that a program or an attacker writes: one of these, many times, and none of it closed. */
const NESTED: Readonly<Record<string, string>> = {
  'inline formatting': '<b>W ',
  'mixed formatting': '<font color=red><i><b><span>W ',
  blocks: '<div>W ',
  'lists and items': '<ul><li>W ',
  'numbered lists': '<ol><li><p>W ',
  'items without lists': '<li><div>W ',
  tables: '<table><tr><td>W ',
  'layout tables': '<table role=presentation><tr><td>W ',
  'rows without tables': '<tr><p>W ',
  'cells and formatting': '<table><b><tr><i><td>W ',
  quotations: '<blockquote>W ',
  links: '<a href="https://example.com/">W ',
  headings: '<h1>W ',
  headers: '<header>W ',
  'preformatted text': '<pre>W ',
  code: '<code>W ',
  'definition lists': '<dl><dt>W <dd>and ',
  'unknown elements': '<x-y>W ',
  'styled blocks': '<div style="color:red">W ',
};

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index}w`);
const page = (pattern: string, count: number): string =>
  words(count)
    .map((word) => pattern.replace('W', word))
    .join('');

function depthOf(html: string): number {
  let [depth, deepest] = [0, 0];
  const parser = new Parser({
    onopentagname() {
      depth += 1;
      deepest = Math.max(deepest, depth);
    },
    onclosetag() {
      depth -= 1;
    },
  });
  parser.end(html);
  return deepest;
}

for (const [what, pattern] of Object.entries(NESTED)) {
  test(`limits the depth of ${what}, keeps all words in order, and grows with the page`, async (t) => {
    const sizes: number[] = [];
    for (const count of [COUNT, 2 * COUNT]) {
      const html = page(pattern, count);
      const flat = await flattenHtml(html);
      t.true(depthOf(flat) <= MAX_DEPTH, `${depthOf(flat)} levels`);
      t.true(flat.length < 2 * html.length);
      const { markdown } = await htmlToMarkdown(html);
      t.deepEqual(markdown.match(/w\d+w/g), words(count));
      sizes.push(markdown.length);
    }
    const [once = 0, twice = 0] = sizes;
    t.true(twice < 2.5 * once, `${once} and ${twice} characters`);
  });
}

test('limits the depth of closed elements and of tags that close nothing', async (t) => {
  const closed = `${'<div><b>'.repeat(COUNT)}deep${'</b></div>'.repeat(COUNT)}<p>after</p>`;
  t.true(depthOf(await flattenHtml(closed)) <= MAX_DEPTH);
  t.is((await htmlToMarkdown(closed)).markdown, '**deep**\n\nafter\n');
  const unmatched = `${'<b>'.repeat(COUNT)}${'x</i> '.repeat(COUNT)}`;
  t.true(depthOf(await flattenHtml(unmatched)) <= MAX_DEPTH);
});

test('returns a page unchanged that is nested as deep as people write', async (t) => {
  const html = `${'<div>'.repeat(60)}<ul><li><b><i>x</i></b></ul>${'</div>'.repeat(60)}${'<p>y'.repeat(500)}${'<li>z'.repeat(500)}`;
  t.is(await flattenHtml(html), html);
});

test('shows nothing hidden of the deep parts of a page', async (t) => {
  const hidden =
    '<select><option>no</select><span hidden>no</span><p style="display:none">no</p><script>no()</script><svg><text>no</text></svg>';
  const html = `${'<div>'.repeat(130)}yes ${hidden}<b>and</b> <div>so</div>on${'</div>'.repeat(130)}`;
  t.is((await htmlToMarkdown(html)).markdown, 'yes and\nso\non\n');
});

test('what follows a deep part is read as it would be without it', async (t) => {
  const after = '<h2>After</h2><ul><li>one<li><b>two</b></ul><table><tr><td>a<td>b<tr><td>c<td>d</table>';
  const deep = `<div>${'<b><div>'.repeat(COUNT)}deep${'</div></b>'.repeat(COUNT)}</div>`;
  const expected = (await htmlToMarkdown(after)).markdown;
  t.true((await htmlToMarkdown(`${deep}${after}`)).markdown.endsWith(expected));
});

test('reads the main text of a very deep page like that of any other page', async (t) => {
  const sentence = 'The lighthouse keeper writes down the weather of every hour in a book.';
  const paragraphs = Array.from({ length: 30 }, () => `<p>${sentence}</p>`).join('');
  const html = `<html><body><nav>menu</nav>${'<div>'.repeat(20_000)}<article>${paragraphs}</article></body></html>`;
  const { markdown } = await htmlToMarkdown(html, { mainText: true });
  t.is(markdown.split(sentence).length, 31);
});

test('a table whose rows or spans would multiply its cells is not filled up', async (t) => {
  const ragged = (count: number): string =>
    `<table><tr>${'<td>a'.repeat(count)}${'<tr><td>b'.repeat(count)}</table><p>end`;
  const spanned = (count: number): string => `<table><tr>${'<td colspan=100 rowspan=100>a'.repeat(count)}</table>`;
  for (const table of [ragged, spanned]) {
    const [once, twice] = await Promise.all(
      [COUNT, 2 * COUNT].map(async (count) => (await htmlToMarkdown(table(count))).markdown.length),
    );
    t.true(once !== undefined && twice !== undefined && twice < 2.5 * once, `${once} and ${twice} characters`);
  }
});

test('keeps captions of nested tables, text of rows outside of cells, and cells without a table', async (t) => {
  const markdownOf = async (html: string): Promise<string> => (await htmlToMarkdown(html)).markdown.trim();
  t.is(
    await markdownOf('<table><tr><td>a<td><table><caption>C</caption><tr><td>b<td>c</table></table>'),
    '| a | C b c |\n| --- | --- |',
  );
  t.is(await markdownOf('<table><tr>x<td>a<td>b</table>'), '| x | a | b |\n| --- | --- | --- |');
  t.is(await markdownOf('<div><td>a<td>b</div>'), 'a\n\nb');
});

test('encloses inline code by as many backticks as it needs', async (t) => {
  const codeOf = async (code: string): Promise<string> => (await htmlToMarkdown(`<p>x <code>${code}</code>`)).markdown;
  t.is(await codeOf('a'), 'x `a`\n');
  t.is(await codeOf('`a'), 'x `` `a ``\n');
  t.is(await codeOf('a``b`c'), 'x ```a``b`c```\n');
});

test('a deep page is read by the reader of HTML', async (t) => {
  const html = `<html><body>${'<b>x '.repeat(20_000)}</body></html>`;
  t.is((await readBytes(html, { name: 'a.html' })).text.match(/x/g)?.length, 20_000);
});
