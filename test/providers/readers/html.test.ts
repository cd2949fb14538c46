import test from 'ava';
import iconv from 'iconv-lite';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

async function markdownOf(body: string): Promise<string> {
  return (await readBytes(`<!doctype html><html><body>${body}</body></html>`, { name: 'page.html' })).text.trim();
}

test('converts headings of all levels, paragraphs and emphasis to Markdown', async (t) => {
  t.is(
    await markdownOf('<h1>A</h1><p>one <b>two</b> <em>three</em></p><h3>B<br>C</h3>four'),
    '# A\n\none **two** *three*\n\n### B C\n\nfour',
  );
});

test('never splits a word by emphasis', async (t) => {
  t.is(await markdownOf('<p><b>W</b>eaviate and un<i>believ</i>able</p>'), 'Weaviate and unbelievable');
});

test('escapes nothing, so that searches find codes as they are written', async (t) => {
  t.is(await markdownOf('<p>snake_case_name * [x] 1. #tag</p>'), 'snake_case_name * [x] 1. #tag');
});

test('keeps numbers and levels of nested lists', async (t) => {
  t.is(
    await markdownOf('<ol start="3"><li>c<ul><li>inner</li></ul></li><li><p>d</p></li></ol>'),
    '3. c\n   - inner\n4. d',
  );
});

test('keeps the values of items and the letters of ordered lists', async (t) => {
  t.is(await markdownOf('<ol start="5"><li value="7">seven<li>eight</ol>'), '7. seven\n8. eight');
  t.is(await markdownOf('<ol type="a"><li>one<li>two</ol>'), '- a. one\n- b. two');
  t.is(await markdownOf('<ol type="I" start="3"><li>one<li value="9">two</ol>'), '- III. one\n- IX. two');
  t.is(await markdownOf('<ol type="1" start="0"><li>zero<li value="x">one</ol>'), '0. zero\n1. one');
});

test('keeps tables without a header row, with spans, pipes, line breaks and lists in cells', async (t) => {
  const table =
    '<table><caption>Sizes</caption><tr><td colspan="2">a|b</td><td rowspan="2">r</td></tr>' +
    '<tr><td>1<br>2</td><td><ul><li>x</li><li>y</li></ul></td></tr></table>';
  t.is(await markdownOf(table), 'Sizes\n\n| a\\|b | a\\|b | r |\n| --- | --- | --- |\n| 1 2 | - x - y | r |');
});

test('renders a nested table as a line of its cell, and a layout table as paragraphs', async (t) => {
  const nested = '<table><tr><td>a</td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>';
  t.is(await markdownOf(nested), '| a | b c |\n| --- | --- |');
  t.is(await markdownOf('<table role="presentation"><tr><td><h2>T</h2></td><td>u</td></tr></table>'), '## T\n\nu');
});

test('keeps lines, white space and language of code blocks', async (t) => {
  t.is(
    await markdownOf(
      '<pre><code class="hljs language-ts">if (a) {\n  b();\n}</code></pre><p>use <code>npm ci</code></p>',
    ),
    '```ts\nif (a) {\n  b();\n}\n```\n\nuse `npm ci`',
  );
  const code = '```\nif (a) {\n  b();\n\n  c();\n}\n```';
  t.is(await markdownOf('<pre>if (a) {<br>  b();<br/><br>  <i>c</i>();<!-- d --><br>}<br></pre>'), code);
  const lines = ['if (a) {', '  b();', '<br>', '  <b>c</b>();', '}'].map((line) => `<div>${line}</div>`);
  t.is(await markdownOf(`<pre><code>${lines.join('')}</code></pre>`), code, 'a line an element');
  t.is(
    await markdownOf(`<pre>\n${lines.join('\n').replace('<br>', '')}</pre>`),
    code.replaceAll('div', ''),
    'and a line break',
  );
});

test('keeps empty lines of code in list items, and no others', async (t) => {
  const page =
    '<ol><li><p>Write</p><p>this:</p><pre>a\n\n  b</pre></li><li>Then<ul><li><pre>c\n\n\nd</pre><p>Done</p></li></ul></li></ol>';
  t.is(
    (await readBytes(page, { name: 'a.html' })).text,
    '1. Write\n   this:\n   ```\n   a\n\n     b\n   ```\n2. Then\n   - ```\n     c\n\n\n     d\n     ```\n     Done\n',
  );
});

test('omits scripts, styles, menus, hidden elements and form controls', async (t) => {
  const noise =
    '<script>evil()</script><style>p{}</style><nav><a href="/">Home</a></nav><div style="color:red; display: none">secret</div>' +
    '<p hidden>gone</p><button>Buy</button><footer>legal</footer><article><header>Kept</header><p>text</p></article>';
  t.is(await markdownOf(noise), 'Kept\n\ntext');
});

test('keeps the menu of a page that has no other text', async (t) => {
  t.is(await markdownOf('<nav><ul><li>Home</li><li>Docs</li></ul></nav>'), '- Home\n- Docs');
});

test('keeps the targets of short absolute links, the text of other links, and the descriptions of images', async (t) => {
  const links =
    '<a href="https://example.com/a">A</a> <a href="/b">B</a> <a href="javascript:x()">C</a> <img src="http://127.0.0.1/x.png" alt="a duck">';
  t.is(await markdownOf(links), '[A](https://example.com/a) B C a duck');
});

test('returns the title as a note, and as a heading of a page without one', async (t) => {
  const page = (body: string): string => `<html><head><title> The\n title </title></head><body>${body}</body></html>`;
  const without = await readBytes(page('<p>text</p>'), { name: 'a.html' });
  t.is(without.text, '# The title\n\ntext\n');
  t.is(without.notes['title'], 'The title');
  t.is((await readBytes(page('<h1>Own</h1>'), { name: 'a.html' })).text, '# Own\n');
});

test('decodes with the declared charset', async (t) => {
  const page = '<html><head><meta charset="iso-8859-2"></head><body>Zażółć gęślą jaźń</body></html>';
  t.is((await readBytes(iconv.encode(page, 'iso-8859-2'), { name: 'a.html' })).text, 'Zażółć gęślą jaźń\n');
});

test('reads fragments and unclosed elements to their end', async (t) => {
  t.is(
    (await readBytes('<html><body><p>one<p>two <b>three</html> four', { name: 'a.html' })).text.replace(/\s+/g, ' '),
    'one two **three** four ',
  );
});

test('keeps the text of an extremely deeply nested page', async (t) => {
  const page = `<html><body>${'<div>'.repeat(20_000)}deep${'</div>'.repeat(20_000)}</body></html>`;
  t.is((await readBytes(page, { name: 'a.html' })).text, 'deep\n');
});

test('keeps buttons that are headings of what they open, and omits those that do something', async (t) => {
  const page =
    '<h1>FAQ</h1><h2><button class="accordion">How do I reset my password?</button></h2><p>By mail.</p>' +
    '<details><summary><button>Is it free?</button></summary>Yes.</details><dl><dt><button>Term</button></dt><dd>Meaning</dd></dl>' +
    '<div><button aria-expanded="false" aria-controls="a">Who pays?</button><div id="a">You.</div></div>' +
    '<button>Buy</button><button aria-expanded="false" aria-haspopup="menu">Options</button>' +
    '<nav><button aria-expanded="false">Toggle navigation</button></nav>';
  const { text } = await readBytes(page, { name: 'a.html' });
  t.regex(text, /^# FAQ\n\n## How do I reset my password\?\n\nBy mail\.\n/);
  for (const kept of ['Is it free?', 'Term', '\n\nWho pays?\n\nYou.']) t.true(text.includes(kept), kept);
  t.notRegex(text, /Buy|Options|Toggle/);
});

test('omits buttons beside the text of a heading, and those of tabs', async (t) => {
  const page =
    '<h1>Guide</h1><h2>Installation <button type="button">Copy link</button></h2><p>By npm.</p>' +
    '<h2><a href="#u">Usage</a><button aria-expanded="true">Collapse</button></h2>' +
    '<details><summary>More <button>Edit</button></summary>Text.</details>' +
    '<div role="tablist"><button role="tab" aria-controls="a">npm</button><button role="tab" aria-expanded="true">yarn</button></div>';
  const { text } = await readBytes(page, { name: 'a.html' });
  t.regex(text, /^# Guide\n\n## Installation\n\nBy npm\.\n\n## Usage\n\n/);
  t.true(text.includes('More'));
  t.notRegex(text, /Copy link|Collapse|Edit|yarn|\nnpm/);
});

test('reads formulas as LaTeX, once: what they were made from, or made from their MathML', async (t) => {
  const katex =
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">E=mc2</span></span>';
  const wikipedia =
    '<span class="mwe-math-element"><span style="display: none;"><math alttext="x"><semantics><mi>x</mi><annotation encoding="application/x-tex">{\\displaystyle \\sqrt {x}}</annotation></semantics></math></span><img alt="{\\displaystyle \\sqrt {x}}"></span>';
  const plain =
    '<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>\u2062</mo><msup><mi>y</mi><mn>3</mn></msup></math>';
  const prefixed = '<m:math><m:msub><m:mi>a</m:mi><m:mn>1</m:mn></m:msub></m:math>';
  const page = `<p>A ${katex}.</p><p>B ${wikipedia}.</p><p>C ${plain}.</p><p>D ${prefixed}.</p><p>E <math>n + 1</math>.</p><div class="katex"><p>F <math><mi>p</mi></math> and <math><mi>q</mi></math></p></div>`;
  const { text } = await readBytes(page, { name: 'a.html' });
  t.is(text, 'A $E=mc^2$.\n\nB $\\sqrt {x}$.\n\nC $x=\\frac{1}{2}y^{3}$.\n\nD $a_{1}$.\n\nE n + 1.\n\nF $p$ and $q$\n');
});

test('puts content that a server streams after the page where a browser shows it', async (t) => {
  const place = (calls: string): string => `<script>$RC=function(b,c){};${calls}</script>`;
  const waiting = '<!--$?--><template id="B:0"></template><p>Loading <!--$-->inner<!--/$--></p><!--/$-->';
  const article = '<div hidden id="S:1"><h1>Installing</h1><template id="P:2"></template></div>';
  const part = '<div hidden id="S:2"><p>Run the installer.</p></div>';
  const page = `<main>${waiting}<p>After</p></main>${article}${part}${place('$RS("S:2","P:2");$RC("B:0","S:1")')}`;
  t.is(await markdownOf(page), '# Installing\n\nRun the installer.\n\nAfter');
  t.is(await markdownOf(`<main>${waiting}</main><div hidden id="S:1">x</div>`), 'Loading inner', 'nothing arrived');
});

test('reads declarative shadow DOM with the content of its slots in their places', async (t) => {
  const tree = '<h1>Shadow</h1><slot name="lead">none</slot><slot></slot><p>End</p>';
  const host = `<my-card><template shadowrootmode="open">${tree}</template><p>Light</p><p slot="lead">Lead</p></my-card>`;
  t.is(await markdownOf(host), '# Shadow\n\nLead\n\nLight\n\nEnd');
  t.is(await markdownOf('<template><p>Inert</p></template><p>Shown</p>'), 'Shown', 'other templates are not shown');
});

test('reads what follows an element that XHTML closes within its tag', async (t) => {
  const xhtml = async (body: string, name = 'page.xhtml'): Promise<string> => {
    const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;
    return (await readBytes(page, { name })).text.trim();
  };
  for (const element of ['audio', 'video', 'iframe', 'object', 'canvas', 'textarea', 'script', 'style', 'template'])
    t.is(await xhtml(`<p>Before</p><${element} title="a/>b"/><p>After</p>`), 'Before\n\nAfter', element);
  t.is(await xhtml('<h2/><p>Text</p><pre />More<br/>lines'), 'Text\n\nMore\nlines');
  t.is(await xhtml('<p>a</p><!-- <audio/> --><script>/*<![CDATA[*/ "<video/>" /*]]>*/</script><p>b</p>'), 'a\n\nb');
});
