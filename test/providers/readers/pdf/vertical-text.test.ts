import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';
import { visualPdf } from '#test/support/fixtures/visual-pdf.ts';

test('reads the columns of vertical text from right to left and joins them, and horizontal text as lines', async (t) => {
  const columns = [
    '吾輩は猫である。名前はまだ無い。',
    'どこで生れたかとんと見当がつかぬ。',
    '何でも薄暗いじめじめした所で',
  ];
  const vertical = columns.map((column, at) =>
    Array.from(column, (glyph, index) => ({ glyphs: [glyph], x: 500 - at * 24, y: 780 - index * 20, size: 22 })),
  );
  const horizontal = columns.map((column, at) => ({ glyphs: Array.from(column), x: 72, y: 780 - at * 20 }));
  const read = async (lines: Parameters<typeof visualPdf>[0]): Promise<string> =>
    (await readBytes(visualPdf(lines), { name: 'a.pdf' })).text.trim();
  t.is(await read(vertical.flat()), columns.join(''));
  t.is(await read(vertical.toReversed().flat()), columns.join(''), 'columns in the other order in the file');
  t.is(await read(horizontal), columns.join(''));
});

test('a vertical line beside a table does not turn the page', async (t) => {
  const sidebar = Array.from(
    'この資料は当社の取引先に限り提供するものであり無断での複製や転載を禁じます。',
    (glyph, at) => ({
      glyphs: [glyph],
      x: 540,
      y: 780 - at * 20,
      size: 22,
    }),
  );
  const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((row) => [1, 2, 3, 4, 5].map((column) => `${row}${column}.${row}`));
  const cells = rows.flatMap((row, y) =>
    row.map((cell, x) => ({ glyphs: Array.from(cell), x: 72 + x * 80, y: 760 - y * 18 })),
  );
  for (const lines of [
    [...cells, ...sidebar],
    [...sidebar, ...cells],
  ]) {
    const { text } = await readBytes(visualPdf(lines), { name: 'a.pdf' });
    for (const row of rows) t.true(text.includes(`| ${row.join(' | ')} |`), text);
  }
});
