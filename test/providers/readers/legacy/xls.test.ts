import { utils, write } from '@e965/xlsx';
import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const XLSB = 'application/vnd.ms-excel.sheet.binary.macroenabled.12';

function workbook(bookType: 'biff8' | 'biff5' | 'xlsb'): Buffer {
  const sheet = utils.aoa_to_sheet([
    ['Item', 'Price', 'Due', 'Share'],
    ['Größe', 3.25, 46_056, 0.125],
    ['Total', null, 0.1 + 0.2, true],
  ]);
  Object.assign(sheet, { '!merges': [{ s: { r: 2, c: 0 }, e: { r: 2, c: 1 } }] });
  Object.assign(sheet['C2'] ?? {}, { z: 'yyyy-mm-dd' });
  Object.assign(sheet['D2'] ?? {}, { z: '0.0%' });
  Object.assign(sheet['B2'] ?? {}, { c: [{ a: 'Ann', t: 'without tax' }] });
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Prices');
  utils.book_append_sheet(book, utils.aoa_to_sheet([[]]), 'Empty');
  return Buffer.from(write(book, { type: 'buffer', bookType }));
}

test('reads binary workbooks as tables: dates and percentages as displayed, merged cells, comments, no empty sheets', async (t) => {
  for (const [bookType, name, mediaType] of [
    ['biff8', 'a.xls', 'application/vnd.ms-excel'],
    ['xlsb', 'a.xlsb', XLSB],
  ] as const) {
    const read = await readBytes(workbook(bookType), { name });
    t.is(read.mediaType, mediaType);
    t.is(
      read.text.trim(),
      '## Prices\n\n| Item | Price | Due | Share |\n| --- | --- | --- | --- |\n| Größe | 3.25 | 2026-02-03 | 12.5% |\n| Total | Total | 0.3 | TRUE |\n\nComment on B2: without tax',
    );
    t.is(read.notes['sheet_count'], 2);
  }
  t.regex((await readBytes(workbook('biff5'), { name: 'old.xls' })).text, /\| Item \| Price \|/, 'Excel 5 and 95');
});

test('counts hidden sheets of binary workbooks and does not read them', async (t) => {
  for (const bookType of ['biff8', 'xlsb'] as const) {
    const book = utils.book_new();
    for (const name of ['Shown', 'Salaries', 'Lists'])
      utils.book_append_sheet(book, utils.aoa_to_sheet([[name, 'cell']]), name);
    book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }, { Hidden: 2 }] };
    const bytes = Buffer.from(write(book, { type: 'buffer', bookType }));
    const { text, notes } = await readBytes(bytes, { name: `a.${bookType === 'xlsb' ? 'xlsb' : 'xls'}` });
    t.true(text.includes('Shown') && !/Salaries|Lists/.test(text), text);
    t.deepEqual(notes, { sheet_count: 3, hidden_sheet_count: 2 });
  }
});

test('rejects damaged binary workbooks with a message, and those that unpack to more than the limit', async (t) => {
  const bytes = workbook('biff8');
  for (let at = 0; at < bytes.length; at += 11) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    const outcome = await readBytes(damaged, { name: 'a.xls' }).catch((error: unknown) => error);
    t.true(
      outcome !== null && typeof outcome === 'object' && ('text' in outcome || 'code' in outcome),
      `${at}: ${String(outcome)}`,
    );
  }
  await t.throwsAsync(readBytes(workbook('xlsb'), { name: 'a.xlsb', maxTextBytes: 1_000 }), {
    code: 'read_output_limit',
  });
});
