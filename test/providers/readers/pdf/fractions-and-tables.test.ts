import test from 'ava';
import { cutPage } from '#test/support/fixtures/cut-page.ts';
import { pdf, type PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const A4 = '/MediaBox [0 0 595 842]';
const WRAPPED = [
  'The committee met in the morning to discuss the budget of the coming',
  'year and agreed that every department should hand in its figures until',
  'the end of March.',
];

test('writes a stacked fraction into its line, and raised and lowered digits next to a slash', async (t) => {
  const texts = [
    { text: 'The mean is', x: 60, y: 700 },
    { text: 'a + b', x: 129, y: 708 },
    { text: '2', x: 140, y: 692 },
    { text: 'of both values.', x: 164, y: 700 },
    { text: 'Add', x: 60, y: 600 },
    { text: '1', x: 82, y: 605, size: 7 },
    { text: '/2 cup of sugar.', x: 86.1, y: 600 },
  ];
  const { text } = await readBytes(cutPage(A4, texts, '127 703 m 160 703 l S'), { name: 'a.pdf' });
  t.is(text.trim(), 'The mean is (a + b)/2 of both values.\n\nAdd 1/2 cup of sugar.');
});

test('does not read underlined words, or cells above one another, as fractions', async (t) => {
  const underlined = [
    { text: 'See the', x: 60, y: 700 },
    { text: 'terms', x: 101, y: 700 },
    { text: 'of use for what', x: 132, y: 700 },
    { text: 'is not said in here', x: 60, y: 687 },
  ];
  const { text } = await readBytes(cutPage(A4, underlined, '101 698 m 128 698 l S'), { name: 'a.pdf' });
  t.is(text.replace(/\s+/g, ' ').trim(), 'See the terms of use for what is not said in here');
  const cells = [
    { text: 'North', x: 76, y: 692 },
    { text: 'Plan', x: 112, y: 700 },
    { text: 'Real', x: 112, y: 684 },
  ];
  const borders = '106 697 m 145 697 l S 106 680 m 106 712 l S 145 680 m 145 712 l S';
  t.false((await readBytes(cutPage(A4, cells, borders), { name: 'a.pdf' })).text.includes('/'));
  const segments = '58 697 m 108 697 l S 108 697 m 140 697 l S 140 697 m 300 697 l S';
  t.false((await readBytes(cutPage(A4, cells, segments), { name: 'a.pdf' })).text.includes('/'));
});

/** Rows of cells at these places, 14 points apart. */
function tableAt(rows: readonly (readonly string[])[], xs: readonly number[], top = 600): PdfText[] {
  return rows.flatMap((row, y) => row.map((text, column) => ({ text, x: xs[column] ?? 0, y: top - y * 14 })));
}

test('reads a table between horizontal rules whose columns are close to one another', async (t) => {
  const rows = [
    ['Method', 'Prec', 'Recall'],
    ['Baseline', '71.2', '68.4'],
    ['Ours', '78.9', '74.0'],
  ];
  const rules = [612, 597, 567].map((y) => `60 ${y} m 180 ${y} l S`).join('\n');
  const prose = WRAPPED.map((text, line) => ({ text, x: 60, y: 700 - line * 14 }));
  const { text } = await readBytes(cutPage(A4, [...prose, ...tableAt(rows, [62, 111, 142])], rules), { name: 'a.pdf' });
  const table = rows.map((row) => `| ${row.join(' | ')} |`).toSpliced(1, 0, '| --- | --- | --- |');
  t.is(text.trim(), [WRAPPED.join(' '), table.join('\n')].join('\n\n'));
});

test('reads names and their explanations as a table, but no list with numbers or bullets', async (t) => {
  const rows = [
    ['timeout', 'Seconds after which a request ends'],
    ['retries', 'How often a failed request is sent again'],
    ['proxy', 'Address of the proxy, if there is one'],
    ['verbose', 'Whether each request is logged'],
  ];
  const { text } = await readBytes(cutPage(A4, tableAt(rows, [62, 140])), { name: 'a.pdf' });
  t.true(text.includes('| retries | How often a failed request is sent again |'), text);
  const list = rows.map(([, meaning = ''], index) => [`${index + 1}.`, meaning]);
  t.false((await readBytes(cutPage(A4, tableAt(list, [62, 90])), { name: 'a.pdf' })).text.includes('|'));
});

test('does not read a list of short items as a table, but positions with a header, and two columns of numbers', async (t) => {
  const prose = WRAPPED.map((text, line) => ({ text, x: 60, y: 700 - line * 14 }));
  const read = async (rows: readonly (readonly string[])[]): Promise<string> =>
    (await readBytes(cutPage(A4, [...prose, ...tableAt(rows, [62, 100])]), { name: 'a.pdf' })).text.trim();
  const items = ['milk', 'bread', 'eggs', 'butter'];
  const bullets = await read(items.map((item) => ['\\267', item]));
  t.is(bullets, [WRAPPED.join(' '), items.map((item) => `- ${item}`).join('\n')].join('\n\n'));
  const numbered = items.map((item, index) => [`${index + 1}.`, item]);
  t.regex(await read(numbered), /^1\. milk\n2\. bread\n3\. eggs\n4\. butter$/m);
  t.regex(await read([['No.', 'Article'], ...numbered]), /^\| No\. \| Article \|\n.*\n\| 1\. \| milk \|$/m);
  const numbers = ['1.5', '2.5', '3.5'].map((half) => [half, '7.1']);
  t.regex(await read(numbers), /^\| 1\.5 \| 7\.1 \|$/m);
});

test('does not read a list between horizontal rules as a table', async (t) => {
  const items = ['Wash the apples', 'Cut the pears', 'Serve them cold'].map((text) => ['\\226', text]);
  const rules = [612, 595, 560].map((y) => `60 ${y} m 180 ${y} l S`).join('\n');
  const { text } = await readBytes(cutPage(A4, tableAt(items, [62, 75]), rules), { name: 'a.pdf' });
  t.false(text.includes('|'), text);
});

test('reads a table without rules whose columns are close and whose cells are wrapped', async (t) => {
  const notes = [
    ['keeps the order in which the files', 'were added to the collection'],
    ['is not read by default, because', 'it takes minutes on slow disks'],
    ['ends the program at once and', 'writes what was done so far'],
    ['says each step'],
  ];
  const names = ['sorted', 'hidden', 'strict', 'loud'];
  const texts = names.flatMap((name, row) => {
    const [first = '', ...rest] = notes[row] ?? [];
    const top = 600 - row * 40;
    // Browsers set a short cell in the middle of a wrapped one.
    const middle = rest.length === 0 ? top : top - 6.5;
    return [
      { text: first, x: 106, y: top },
      ...rest.map((line) => ({ text: line, x: 106, y: top - 13 })),
      { text: name, x: 60, y: middle },
      { text: String(row + 1), x: 280, y: middle },
    ];
  });
  const heads = ['Name', 'What it does', 'No.'].map((text, column) => ({
    text,
    x: [60, 106, 274][column] ?? 0,
    y: 620,
  }));
  const heading = { text: 'Options of the command line', x: 60, y: 650, size: 18 };
  const { text } = await readBytes(cutPage(A4, [heading, ...heads, ...texts]), { name: 'a.pdf' });
  const rows = names.map((name, row) => `| ${name} | ${notes[row]?.join(' ')} | ${row + 1} |`);
  t.is(
    text.trim(),
    ['# Options of the command line', '', '| Name | What it does | No. |', '| --- | --- | --- |', ...rows].join('\n'),
  );
});

test('a header in bold above two rows makes a table of them', async (t) => {
  const rows = [
    ['Option', 'What it does for you'],
    ['sorted', 'keeps the order of the files'],
    ['hidden', 'is not read by default'],
  ];
  const page = (isBold: boolean): PdfText[] => [
    ...WRAPPED.map((text, line) => ({ text, x: 60, y: 760 - line * 14 })),
    ...rows.flatMap(([name = '', text = ''], row) => [
      { text: name, x: 60, y: 690 - row * 16, isBold: isBold && row === 0 },
      { text, x: 108, y: 690 - row * 16, isBold: isBold && row === 0 },
    ]),
  ];
  const { text } = await readBytes(pdf([page(true)]), { name: 'a.pdf' });
  const [header, ...data] = rows.map((row) => `| ${row.join(' | ')} |`);
  t.true(text.includes([header, '| --- | --- |', ...data].join('\n')), text);
  t.false((await readBytes(pdf([page(false)]), { name: 'a.pdf' })).text.includes('| ---'));
});

test('does not read text in columns, or a list whose bullets are letters of a symbol font, as a table', async (t) => {
  const left = [...WRAPPED, ...WRAPPED].map((text, line) => ({ text: text.slice(0, 36), x: 60, y: 700 - line * 14 }));
  const right = left.map(({ text, y }) => ({ text, x: 300, y }));
  const list = ['Wash the apples', 'Cut the pears', 'Serve them cold', 'Clean the table', 'Go home'];
  const items = list.flatMap((text, line) => [
    { text: 'r', x: 60, y: 500 - line * 14 },
    { text, x: 72, y: 500 - line * 14 },
  ]);
  const { text } = await readBytes(cutPage(A4, [...left, ...right, ...items]), { name: 'a.pdf' });
  t.false(text.includes('| ---'), text);
});
