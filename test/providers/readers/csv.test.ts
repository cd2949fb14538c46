import test from 'ava';
import iconv from 'iconv-lite';
import * as fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

for (const [name, delimiter] of [
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['pipe', '|'],
] as const) {
  test(`a table separated by ${name} becomes a Markdown table`, async (t) => {
    const rows = [
      ['name', 'price, net', 'note'],
      ['Bolt', '1,5', 'a "b"'],
      ['Nut', '2,25', ''],
    ];
    const quoted = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter));
    const { text, notes } = await readBytes(quoted.join('\r\n'), { name: 'parts.csv' });
    t.is(text, '| name | price, net | note |\n| --- | --- | --- |\n| Bolt | 1,5 | a "b" |\n| Nut | 2,25 |  |\n');
    t.deepEqual(notes, { row_count: 2, column_count: 3 });
  });
}

test('decimal commas are not read as delimiters', async (t) => {
  const { notes } = await readBytes('a;b\n1,5;2,5\n3,5;4,5\n', { name: 'x.csv' });
  t.is(notes['column_count'], 2);
});

test('numbers the columns of a table without a header', async (t) => {
  const { text } = await readBytes('1,2\n3,4\n5,6\n', { name: 'x.csv' });
  t.true(text.startsWith('| column 1 | column 2 |\n'));
  t.true(text.includes('| 1 | 2 |'));
});

test('renders wide tables and long texts as records that name their values', async (t) => {
  const header = Array.from({ length: 20 }, (_, index) => `h${index}`);
  const wide = await readBytes(`${header.join(',')}\n${header.map((name) => `v${name}`).join(',')}\n`, {
    name: 'x.csv',
  });
  t.true(wide.text.includes('h0: vh0\nh1: vh1\n'));
  const long = await readBytes('title,body\nA,"one\ntwo"\nB,three\n', { name: 'x.csv' });
  t.is(long.text, 'title: A\nbody: one\ntwo\n\ntitle: B\nbody: three\n\n');
});

test('writes the lines above the header of a table as paragraphs, and finds the header below them', async (t) => {
  const lines = [
    '"Current account";"DE12"',
    '"Balance of 1 February:";"1.234,56"',
    '""',
    'Day;Payer;Payee;Purpose;Kind;Amount',
  ];
  const rows = Array.from({ length: 5 }, (_, index) => `0${index}.01.24;Ann;Shop ${index};Food;out;-1,5`);
  const bank = await readBytes([...lines, ...rows].join('\n'), { name: 'bank.csv' });
  t.true(
    bank.text.startsWith(
      'Current account DE12\n\nBalance of 1 February: 1.234,56\n\n| Day | Payer | Payee | Purpose | Kind | Amount |\n| --- |',
    ),
  );
  t.deepEqual(bank.notes, { row_count: 5, column_count: 6 });
  const names = Array.from({ length: 20 }, (_, index) => `h${index}`);
  const wide = await readBytes(`Staff list\n${names.join(',')}\n${names.map(() => 'v').join(',')}\n`, {
    name: 'w.csv',
  });
  t.true(wide.text.startsWith('Staff list\n\nh0: v\nh1: v\n'));
  const groups = await readBytes(',Q1,,Q2,\nRegion,a,b,a,b\nNorth,1,2,3,4\n', { name: 'groups.csv' });
  t.true(groups.text.includes('|  | Q1 |  | Q2 |  |\n'), 'names of groups of columns are no title');
  const sparse = await readBytes('1,,\n1,2,\n1,2,3\n', { name: 'sparse.csv' });
  t.true(sparse.text.includes('| 1 | 2 | 3 |') && sparse.text.startsWith('|'), 'numbers are no title');
});

test('keeps and counts ragged rows', async (t) => {
  const { text, notes } = await readBytes('a,b\n1,2\n3\n4,5,6\n', { name: 'x.csv' });
  t.true(text.includes('| 4 | 5 | 6 |'));
  t.is(notes['ragged_rows'], 2);
});

test('reads a file with an unclosed quote to its end', async (t) => {
  const rows = Array.from({ length: 100 }, (_, index) => `${index},value ${index}`);
  const { text, notes } = await readBytes(['id,text', '0,"open', ...rows].join('\n'), { name: 'x.csv' });
  t.true(text.includes('| 99 | value 99 |'));
  t.is(notes['unbalanced_quotes'], true);
});

test('stops at the text limit while streaming the file', async (t) => {
  const rows = 'some value,another value\n'.repeat(100_000);
  await t.throwsAsync(readBytes(`a,b\n${rows}`, { name: 'x.csv', maxTextBytes: 100_000 }), {
    code: 'read_output_limit',
  });
});

test('the text contains every cell of any table', async (t) => {
  const cell = fc.stringMatching(/^[a-z0-9 ]{1,12}$/).filter((text) => text.trim() !== '');
  const table = fc
    .integer({ min: 2, max: 20 })
    .chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 2, maxLength: 8 }),
    );
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const csv = rows.map((row) => row.join(',')).join('\n');
      const { text } = await readBytes(csv, { name: 'x.csv' });
      return parse(csv)
        .flat()
        .every((value: string) => text.includes(value.replace(/\s+/g, ' ').trim()) || text.includes(value.trim()));
    }),
    { numRuns: 50 },
  );
  t.pass();
});

test('keeps a header with equal or empty names', async (t) => {
  const joined = await readBytes('id,name,city,name,city\n7,Anna,Bonn,Dock,Kiel\n8,Bo,Kiel,Yard,Bonn\n', {
    name: 'a.csv',
  });
  t.is(
    joined.text,
    '| id | name | city | name | city |\n| --- | --- | --- | --- | --- |\n| 7 | Anna | Bonn | Dock | Kiel |\n| 8 | Bo | Kiel | Yard | Bonn |\n',
  );
  const trailing = await readBytes('id,name,city,,\n1,Anna,Bonn,,\n2,Bo,Kiel,,\n', { name: 'a.csv' });
  t.true(trailing.text.startsWith('| id | name | city |'), trailing.text);
  const columns = Array.from({ length: 9 }, (_, index) => `h${index}`);
  const wide = ['id', ...columns, ...columns];
  const row = wide.map((name, index) => (index === 0 ? '7' : `value of ${name}`));
  const { text } = await readBytes(`${wide.join(',')}\n${row.join(',')}\n`, { name: 'a.csv' });
  t.true(text.startsWith('id: 7\nh0: value of h0\n'), text);
});

test('takes a first row with equal or empty cells for values where nothing else shows a header', async (t) => {
  for (const csv of [
    'red,red,small\nblue,red,large\n',
    'red,,,small\nblue,red,wide,large\n',
    '1,red,red\n2,blue,red\n',
  ])
    t.true((await readBytes(csv, { name: 'a.csv' })).text.startsWith('| column 1 |'), csv);
});

test('decodes tables of short rows in encodings of two bytes per character', async (t) => {
  const tables: readonly (readonly [charset: string, csv: string])[] = [
    ['shift_jis', '名前,年齢,都市\n田中,30,東京\n鈴木,25,大阪\n佐藤,41,名古屋\n'],
    ['shift_jis', 'ID,氏名\n1,山田太郎\n'],
    ['shift_jis', 'コード,ﾒｰｶｰ,価格\nA1,ﾄﾖﾀ,100\n'],
    ['euc-jp', '品名,数量\nりんご,3\nみかん,5\n'],
    ['gb18030', '姓名,年龄,城市\n张伟,30,北京\n王芳,25,上海\n'],
    ['gb18030', '产品,数量\n苹果,3\n'],
    ['big5', '姓名,年齡,城市\n陳大文,30,臺北\n林美玲,25,高雄\n'],
    ['big5', '產品,數量\n蘋果,3\n'],
    ['euc-kr', '상품,수량\n사과,3\n'],
    ['euc-kr', '번호,이름\n1,홍길동\n'],
  ];
  for (const [charset, csv] of tables) {
    const { text, notes } = await readBytes(iconv.encode(csv, charset), { name: 'a.csv' });
    t.is(notes['charset'], charset, csv);
    for (const cell of csv.split(/[,\n]/)) t.true(text.includes(cell), cell);
  }
});

test('does not take accents in short tables for characters of two bytes', async (t) => {
  const tables: readonly (readonly [charset: string, csv: string])[] = [
    ['windows-1252', 'Name;Straße;Größe\nMüller;Hauptstraße 3;1,80\n'],
    ['windows-1252', 'ÄRZTE;BÄREN;ÖLE\nÄÖÜ;DÄMMUNG;ÜBER\n'],
    ['windows-1252', 'Prénom;Âge\nRené;30\nZoé;25\nHélène;41\n'],
    ['windows-1252', 'Quote;Year\nIt’s “fine” – they say;2020\n'],
    ['koi8-r', 'Имя;Возраст;Город\nИван;30;Москва\nОльга;25;Казань\n'],
    ['windows-1256', 'الاسم;العمر\nمحمد;30\n'],
  ];
  for (const [charset, csv] of tables)
    t.is((await readBytes(iconv.encode(csv, charset), { name: 'a.csv' })).notes['charset'], charset, csv);
});
