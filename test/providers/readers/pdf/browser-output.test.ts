import test from 'ava';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

/**
 * Pages that a browser saved as PDF: bullets are drawn, code is smaller than the text and often longer, and emoji have
 * no characters.
 */
const STYLE = `body{font:11pt/1.4 serif} code,pre{font-family:monospace;font-size:9pt} pre{white-space:pre-wrap}`;
const PROSE =
  'The committee met in the morning to discuss the budget of the coming year and agreed that every department should hand in its figures until the end of March.';
const code = (lines: number) =>
  Array.from({ length: lines }, (_, line) => `const value${line} = await readTheFigures('department-${line}');`);

let browser: Browser;
test.before(async () => {
  browser = await launchChromium();
});
test.after.always(() => browser.close());

async function markdownOf(body: string, style = ''): Promise<string> {
  const page = await browser.newPage();
  await page.setContent(`<!doctype html><html lang="en"><style>${STYLE}${style}</style><body>${body}</body></html>`);
  const bytes = await page.pdf({ format: 'A4' });
  await page.close();
  return (await readBytes(bytes, { name: 'saved.pdf' })).text;
}

test('reads drawn bullets as list items, also of lines that could be joined', async (t) => {
  const items = ['Zero or minimal dependencies', 'Signed releases and transparent builds', PROSE, 'Readable code'];
  const text = await markdownOf(
    `<p>${PROSE}</p><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul><p>The end.</p>`,
  );
  t.true(text.includes(items.map((item) => `- ${item}`).join('\n')), text);
  t.true(text.includes('The end.') && !text.includes('- The end.'));
  const drawn = `<p>Figures:</p><p><svg width="300" height="6">${Array.from({ length: 20 }, (_, at) => `<rect x="${at * 9}" y="0" width="4" height="4"/>`).join('')}</svg> dotted</p>`;
  t.false((await markdownOf(drawn)).includes('- dotted'), 'a dotted line is no bullet');
});

test('does not read text as headings because code is smaller and longer', async (t) => {
  const block = `<pre>${code(40).join('\n')}</pre>`;
  const text = await markdownOf(
    `<h1>Reading figures</h1><p>${PROSE}</p>${block}<h2>use</h2><p>${PROSE}</p><p>${PROSE}</p>${block}`,
  );
  t.deepEqual(text.match(/^#.*$/gm), ['# Reading figures', '## use']);
  t.true(
    text.includes(['```', ...code(40).slice(0, 3)].join('\n')),
    'code is code, though there is more of it than text',
  );
  t.is(text.split(PROSE).length, 4, 'wrapped lines are joined');
});

test('reads function names, and separate phrases in lower case, as headings', async (t) => {
  const section = (title: string) => `<h4>${title}</h4><p>${PROSE} ${PROSE}</p>`;
  const text =
    await markdownOf(`<h1>Reference</h1>${section('<code>stream.push(data)</code>')}${section('legacy: sha1, md5')}
    <p>${PROSE} <b>stressed</b> and <b>more so</b></p>`);
  t.deepEqual(text.match(/^#.*$/gm), ['# Reference', '## stream.push(data)', '## legacy: sha1, md5']);
});

test('keeps the positions of text after emoji', async (t) => {
  const table =
    '<table><tr><th>Unit</th><th>Staff</th></tr><tr><td>North</td><td>12</td></tr><tr><td>South</td><td>7</td></tr></table>';
  const style = 'td,th{border:1px solid;padding:2px 30px} table{border-collapse:collapse}';
  const body = (mark: string) =>
    `<h1>Report ${mark}${mark}</h1><p>${mark} ${PROSE} ${mark}</p><p>${PROSE} ${PROSE}</p><h2>Staff</h2>${table}<pre>${code(4).join('\n')}</pre>`;
  const [plain, marked] = [await markdownOf(body(''), style), await markdownOf(body('\u{1F6E1}'), style)];
  const structure = (text: string) => text.slice(text.indexOf('## Staff'));
  t.is(structure(marked), structure(plain));
  t.true(structure(plain).includes('| North | 12 |') && structure(plain).includes('```'));
  t.false(marked.includes('\uFFFE'));
});

test('does not read justified text in a narrow column as a table', async (t) => {
  const words =
    'Responsibilities notwithstanding administrative considerations internationally representative documentation';
  const text = await markdownOf(`<div style="width:150pt;text-align:justify"><p>${`${words} `.repeat(6)}</p></div>`);
  t.false(text.includes('|'), text);
});

test('reads the words of a page in order, whatever is underlined', async (t) => {
  const words = `${PROSE} ${PROSE} ${PROSE}`.split(' ');
  // Links of all lengths, so that some stand above words of the next line that are about as wide.
  const linked = words.map((word, at) => (at % 7 < 3 ? `<a href="https://example.org/${at}">${word}</a>` : word));
  const items = ['Token revocation', 'Proof keys for exchange (short)', 'Native applications', 'Device grants (late)'];
  const list = items.map((item) => `<li>${item.replace(/^[^(]+\b/, '<a href="https://example.org/">$&</a>')}</li>`);
  for (const width of [260, 330, 410, 520]) {
    const text = await markdownOf(
      `<div style="width:${width}px;text-align:justify;line-height:1.2"><p>${linked.join(' ')}</p><ul>${list.join('')}</ul></div>`,
    );
    t.true(text.replace(/\s+/g, ' ').includes(words.join(' ')), text);
    t.true(text.includes(items.map((item) => `- ${item}`).join('\n')), text);
  }
});
