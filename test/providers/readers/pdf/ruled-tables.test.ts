import test from 'ava';
import { cutPage } from '#test/support/fixtures/cut-page.ts';
import type { PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const XS = [60, 100, 220, 280, 340];
const HEADER = ['Pos', 'Article', 'Qty', 'Price'];
const ROWS = [
  ['1', 'Bolt M8', '2', '10.00'],
  ['2', 'Nut M8', '4', '20.00'],
  ['3', 'Screw long', '6', '7.50'],
];

/** Texts by line and column, 14 points apart, in ruled columns; a rule is drawn above each of these lines and at the end. */
async function read(lines: readonly (readonly string[])[], ruledAt: readonly number[], xs = XS): Promise<string> {
  const yOf = (line: number): number => 600 - line * 14;
  const texts = lines.flatMap((cells, line) =>
    cells.map((text, column): PdfText => ({ text, x: (xs[column] ?? 0) + 4, y: yOf(line) - 11 })),
  );
  const [left = 0, right = 0] = [xs[0], xs.at(-1)];
  const across = [...ruledAt, lines.length].map((line) => `${left} ${yOf(line)} m ${right} ${yOf(line)} l S`);
  const down = xs.map((x) => `${x} ${yOf(0)} m ${x} ${yOf(lines.length)} l S`);
  const shown = texts.filter(({ text }) => text !== '');
  const { text } = await readBytes(cutPage('/MediaBox [0 0 595 842]', shown, [...across, ...down].join('\n')), {
    name: 'a.pdf',
  });
  return text.trim();
}

const tableOf = ([header = [], ...rows]: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

test('a table of which only the columns are ruled has a row for each of its lines', async (t) => {
  t.is(await read([HEADER, ...ROWS], [0, 1]), tableOf([HEADER, ...ROWS]));
  const sum = ['', 'Total', '', '37.50'];
  t.is(await read([HEADER, ...ROWS, sum], [0, 1, 4]), tableOf([HEADER, ...ROWS, sum]), 'with a row of sums');
});

test('a wrapped cell is one cell, in columns without rules between the rows and in a table with them', async (t) => {
  const [first = [], second = [], third = []] = ROWS;
  const wrapped = [first, second, ['', 'zinc plated', '', ''], third];
  const joined = [first, second.with(1, 'Nut M8 zinc plated'), third];
  t.is(await read([HEADER, ...wrapped], [0, 1]), tableOf([HEADER, ...joined]));
  const notes = ['3', 'Screw long', '6', '7.50'].map((text, column) => `${second[column]} ${text}`);
  t.is(await read([HEADER, ...ROWS, ...ROWS], [0, 1, 2, 4, 5, 6]), tableOf([HEADER, first, notes, ...ROWS]));
});

test('addresses beside one another, and labels that are placed freely, are not split into rows', async (t) => {
  const addresses = [
    ['Seller', 'Buyer'],
    ['Erika Muster', 'Jo Doe'],
    ['12 High Street', '5 Low Road'],
    ['London W1', 'Paris 12'],
  ];
  const joined = [['Seller', 'Buyer'], addresses.slice(1).reduce((a, b) => a.map((text, at) => `${text} ${b[at]}`))];
  t.is(await read(addresses, [0, 1], [60, 200, 340]), tableOf(joined));
  const scattered = [['Panel', 'Other'], ...['1', '2', '3'].map((text, at) => [' '.repeat(at * 8) + text, text])];
  t.is((await read(scattered, [0, 1], [60, 200, 340])).split('\n').length, 3);
});
