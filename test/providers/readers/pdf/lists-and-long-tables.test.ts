import test from 'ava';
import { pdf, type PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

/** The bullet in the encoding of the fonts. */
const BULLET = '\u0095';
const XS = [60, 220, 330];

/** Lines below one another, each with the place where it begins. */
function linesAt(lines: readonly (readonly [x: number, text: string])[], top = 700): PdfText[] {
  return lines.map(([x, text], index) => ({ text, x, y: top - index * 14 }));
}

function rowsAt(rows: readonly (readonly string[])[], top: number): PdfText[] {
  return rows.flatMap((row, y) => row.map((text, column) => ({ text, x: XS[column] ?? 0, y: top - y * 14 })));
}

const HEADER = ['Product', 'Price', 'Stock'];
const rowsFrom = (first: number, count: number): string[][] =>
  Array.from({ length: count }, (_, row) => [
    `Screw no. ${100 + first + row}`,
    `${10 + first + row}.50`,
    `${200 + first + row}`,
  ]);
const tableOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
const DELIMITER = '| --- | --- | --- |';

test('reads the items of nested lists below the text of the item above them', async (t) => {
  const lines = linesAt([
    [60, 'Before you leave:'],
    [60, `${BULLET} Close the windows`],
    [80, `${BULLET} those of the kitchen`],
    [80, `${BULLET} those of the office`],
    [100, `${BULLET} also the small one`],
    [60, `${BULLET} Lock the door`],
    [60, '9. Ring the bell'],
    [54, '10. Wait for an answer'],
    [78, 'a) at the front'],
    [78, 'b) at the back'],
    [54, '11. Go'],
  ]);
  const { text } = await readBytes(pdf([lines]), { name: 'a.pdf' });
  t.is(
    text.trim(),
    `Before you leave:
- Close the windows
  - those of the kitchen
  - those of the office
    - also the small one
- Lock the door
9. Ring the bell
10. Wait for an answer
    a) at the front
    b) at the back
11. Go`,
  );
});

test('a list in another column, or behind a paragraph, is not nested', async (t) => {
  const { text } = await readBytes(
    pdf([
      [
        ...linesAt(
          [
            [60, `${BULLET} Apples`],
            [60, `${BULLET} Pears`],
          ],
          700,
        ),
        ...linesAt(
          [
            [330, `${BULLET} Screws`],
            [330, `${BULLET} Nails`],
          ],
          700,
        ),
        ...linesAt(
          [
            [60, 'Everything else is sold on the ground floor:'],
            [78, `${BULLET} Paper`],
          ],
          560,
        ),
      ],
    ]),
    { name: 'a.pdf' },
  );
  t.notRegex(text, /^ +-/m, text);
});

test('reads the letter o as a bullet where Word sets it as one, and as a letter elsewhere', async (t) => {
  const lines: PdfText[] = [
    { text: `${BULLET} Fruit`, x: 60, y: 700 },
    { text: 'o', x: 96, y: 686, isCode: true },
    { text: 'Apples', x: 114, y: 686 },
    { text: 'o', x: 96, y: 672, isCode: true },
    { text: 'Pears', x: 114, y: 672 },
    { text: 'o presidente chegou', x: 60, y: 600 },
  ];
  const { text } = await readBytes(pdf([lines]), { name: 'a.pdf' });
  t.is(text.trim(), '- Fruit\n  - Apples\n  - Pears\n\no presidente chegou');
});

test('reads a table that continues on the next pages as one, with its header once', async (t) => {
  for (const isRepeated of [true, false]) {
    const top = (rows: string[][]): string[][] => (isRepeated ? [HEADER, ...rows] : rows);
    const { text, pages } = await readBytes(
      pdf([
        [
          { text: 'Prices of the year', x: 60, y: 760 },
          ...rowsAt([HEADER, ...rowsFrom(0, 44)], 700),
          { text: 'ACME Ltd, page 1', x: 60, y: 30 },
        ],
        [...rowsAt(top(rowsFrom(44, 48)), 780), { text: 'ACME Ltd, page 2', x: 60, y: 30 }],
        [
          ...rowsAt(top(rowsFrom(92, 10)), 780),
          { text: 'All prices without tax.', x: 60, y: 400 },
          { text: 'ACME Ltd, page 3', x: 60, y: 30 },
        ],
      ]),
      { name: 'a.pdf' },
    );
    t.true(text.includes(`${tableOf([HEADER])}\n${DELIMITER}\n${tableOf(rowsFrom(0, 102))}\n\nAll prices`), text);
    t.is(text.split(DELIMITER).length, 2);
    t.is(text.split('ACME Ltd').length, 2, 'the footer is there once');
    const begins = pages.slice(1).map(({ start }) => text.slice(start).split(' |')[0]);
    t.deepEqual(begins, ['| Screw no. 144', '| Screw no. 192']);
  }
});

test('tables of other columns, or behind a paragraph, do not continue the one on the page before', async (t) => {
  const narrow = rowsFrom(44, 12).map((row) => row.slice(0, 2));
  const first = rowsAt([HEADER, ...rowsFrom(0, 44)], 700);
  const tablesWith = async (...next: PdfText[]): Promise<number> =>
    (await readBytes(pdf([first, next]), { name: 'a.pdf' })).text.split(/^\|(?: --- \|)+$/m).length - 1;
  t.is(await tablesWith(...rowsAt([['Tool', 'Weight'], ...narrow], 780)), 2, 'other columns');
  const behind = rowsAt([HEADER, ...rowsFrom(44, 12)], 640);
  const paragraph = ['The prices of the other branch differ, since its rent is higher than', 'that of the first one.'];
  t.is(
    await tablesWith(
      ...linesAt(
        paragraph.map((text) => [60, text] as const),
        700,
      ),
      ...behind,
    ),
    2,
    'a paragraph',
  );
  const early = (
    await readBytes(pdf([rowsAt([HEADER, ...rowsFrom(0, 6)], 700), rowsAt([HEADER, ...rowsFrom(6, 12)], 780)]), {
      name: 'a.pdf',
    })
  ).text;
  t.is(early.split(DELIMITER).length, 3, 'a page that the table does not fill');
});
