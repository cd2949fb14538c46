import test from 'ava';
import { measureDocumentStyle } from '#providers/readers/pdf/headings.ts';
import { renderPageMarkdown } from '#providers/readers/pdf/page-markdown.ts';
import type { PdfLine } from '#providers/readers/pdf/page.ts';
import { pdf, type PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

/** Lines below one another, 14 points apart. */
function column(texts: readonly string[], top = 700): PdfText[] {
  return texts.map((text, index) => ({ text, y: top - index * 14 }));
}

test('records the start of each page in the text', async (t) => {
  const bytes = pdf([[{ text: 'First page' }], [{ text: 'Second page' }], [], [{ text: 'Fourth' }]], {
    title: 'A report',
  });
  const { text, pages, notes, mediaType } = await readBytes(bytes, { name: 'r.pdf' });
  t.is(mediaType, 'application/pdf');
  t.deepEqual(
    pages.map(({ page, start }) => [page, text.slice(start).split('\n')[0]]),
    [
      [1, 'First page'],
      [2, 'Second page'],
      [3, 'Fourth'],
      [4, 'Fourth'],
    ],
  );
  t.deepEqual(notes, { page_count: 4, title: 'A report', pages_without_text: 1 });
});

test('joins wrapped lines, but not paragraphs and short lines', async (t) => {
  const wrapped = [
    'The committee met in the morning to discuss the budget of the coming',
    'year and agreed that every department should hand in its figures until',
    'the end of March.',
  ];
  const lines = [...column(wrapped), ...column(['Anna Smith', 'Treasurer'], 600)];
  const { text } = await readBytes(pdf([lines]), { name: 'm.pdf' });
  t.is(text.trim(), `${wrapped.join(' ')}\n\nAnna Smith\nTreasurer`);
});

test('rejoins words hyphenated at a line end, and keeps the hyphen of compounds', async (t) => {
  const lines = column([
    'A well-known result of the theory says that the distribution of the eigen-',
    'values is determined by the trace, and so is that of every other well-',
    'known quantity that was measured in the experiments of the last decade.',
  ]);
  const { text } = await readBytes(pdf([lines]), { name: 'm.pdf' });
  t.true(text.includes('the eigenvalues is'), text);
  t.true(text.includes('other well-known quantity'), text);
});

test('reads larger short lines as headings with levels by font size', async (t) => {
  const lines = [
    { text: 'Annual report', size: 24, y: 780 },
    { text: 'Finances', size: 16, y: 740 },
    ...column(['Revenue rose in all regions and the outlook remains good for the time', 'being.']),
  ];
  const { text } = await readBytes(pdf([lines]), { name: 'm.pdf' });
  t.is(
    text.trim(),
    '# Annual report\n\n## Finances\n\nRevenue rose in all regions and the outlook remains good for the time being.',
  );
});

test('rejects a PDF without recognizable text with `no_text`', async (t) => {
  await t.throwsAsync(readBytes(pdf([[], []]), { name: 'scan.pdf' }), {
    code: 'no_text',
    message: /no text was recognized on any of its 2 pages \(OCR\)/,
  });
});

test('rejects an encrypted PDF with `encrypted`', async (t) => {
  const bytes = pdf([[{ text: 'secret' }]], { isEncrypted: true });
  await t.throwsAsync(readBytes(bytes, { name: 'e.pdf' }), { code: 'encrypted', message: /password/ });
});

test('rejects a truncated PDF with `unreadable`, and reads the next one', async (t) => {
  const bytes = pdf([[{ text: 'whole' }]]);
  await t.throwsAsync(readBytes(bytes.subarray(0, 60), { name: 't.pdf' }), { code: 'unreadable' });
  t.is((await readBytes(bytes, { name: 't.pdf' })).text.trim(), 'whole');
});

test('rejects text beyond the limit', async (t) => {
  const lines = column(Array.from({ length: 40 }, (_, index) => `line ${index}`));
  await t.throwsAsync(readBytes(pdf([lines]), { name: 'm.pdf', maxTextBytes: 100 }), { code: 'read_output_limit' });
});

test('keeps running headers and footers once, whatever their page numbers', async (t) => {
  const pages = Array.from({ length: 5 }, (_, index) => [
    { text: `Annual report ${index + 1}`, y: 800 },
    { text: `What page ${'abcde'[index]} says`, y: 600 },
    { text: `Below page ${'abcde'[index]}`, y: 500 },
    { text: `Copyright by us`, y: 40 },
  ]);
  const { text } = await readBytes(pdf(pages), { name: 'm.pdf' });
  t.deepEqual(text.match(/Annual report \d/g), ['Annual report 1']);
  t.is(text.split('Copyright by us').length - 1, 1);
  t.is(text.match(/What page . says/g)?.length, 5);
});

test('joins lines of Hangul inside words only if the document marks word ends', (t) => {
  const box = (y: number, right: number): PdfLine['first'] => ({ left: 72, right, top: y + 10, bottom: y });
  const line = (text: string, y: number): PdfLine => ({
    text,
    first: box(y, 82),
    last: box(y, 500),
    fontSize: 10,
    isBold: false,
    isMonospaced: false,
    words: [],
  });
  const layOut = (lines: readonly PdfLine[]): string => renderPageMarkdown(lines, measureDocumentStyle([lines]));
  const [first, second] = [
    '한편 코로나가 세계적 유행단계에 돌입한 와중에 국내 확',
    '진자는 계속해서 늘어나고 있는 상황이며 이에 관련하여',
  ];
  t.is(layOut([line(first, 700), line(second, 686)]), `${first} ${second}`);
  t.is(layOut([line(first, 700), line(`${second} `, 686)]), `${first}${second}`);
});

test('reads lines in a monospaced font as a code block with indents and empty lines, except in a document typed in one', async (t) => {
  const prose = [
    'This page shows how a loop is written in this language.',
    'It has more prose than code, as most pages do have.',
  ];
  const code = ['for (const item of items) {', 'console.log(item);', '}', 'done();'];
  const lines = [
    ...prose.map((text, index) => ({ text, y: 770 - index * 14 })),
    { text: code[0] ?? '', y: 720, isCode: true },
    { text: code[1] ?? '', y: 706, x: 72 + 2 * 7.2, isCode: true },
    { text: code[2] ?? '', y: 692, isCode: true },
    { text: code[3] ?? '', y: 664, isCode: true },
    { text: 'And the text goes on below it.', y: 630 },
  ];
  const { text } = await readBytes(pdf([lines]), { name: 'a.pdf' });
  t.regex(
    text,
    /\n\n```\nfor \(const item of items\) \{\n {2}console\.log\(item\);\n\}\n\ndone\(\);\n```\n\nAnd the text/,
  );
  const typed = await readBytes(pdf([lines.map((line) => ({ ...line, isCode: true }))]), { name: 'a.pdf' });
  t.false(typed.text.includes('```'));
});

test('separates a footnote number from the word before it', async (t) => {
  const { text } = await readBytes(
    pdf([
      [
        { text: 'Reports of the Center', size: 12 },
        { text: '1', size: 7, x: 72 + 118, y: 775 },
      ],
    ]),
    { name: 'a.pdf' },
  );
  t.regex(text, /Center 1/);
});
