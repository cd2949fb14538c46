import test from 'ava';
import { planChunks } from '#domain/chunking/plan-chunks.ts';
import { sheetBlocks } from '#providers/readers/office/sheets/sheet-blocks.ts';
import { zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

type Workbook = {
  rows: string;
  /** Format codes; the first is that of style 1. */
  formats?: readonly string[];
  properties?: string;
  /** Prefix of all elements of the workbook, e.g. `x:`. */
  prefix?: string;
  parts?: Readonly<Record<string, string>>;
};

function workbook({ rows, formats = [], properties = '', prefix = '', parts = {} }: Workbook): Buffer {
  const prefixed = (xml: string): string => xml.replace(/<(\/?)(?=\w)/g, `<$1${prefix}`);
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${170 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const styles = formats.map((_, index) => `<xf numFmtId="${170 + index}"/>`);
  return zip({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': prefixed(
      `<workbook>${properties}<sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': prefixed(
      `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ),
    'xl/sharedStrings.xml': prefixed('<sst><si><t>Shared</t></si></sst>'),
    'xl/worksheets/sheet1.xml': prefixed(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
    ...parts,
  });
}

/** How a number is displayed in a cell of this format. */
async function shown(value: number, format: string, properties = ''): Promise<string> {
  const rows = `<row r="1"><c r="A1" s="1"><v>${value}</v></c></row>`;
  const { text } = await readBytes(workbook({ rows, formats: [format], properties }), { name: 's.xlsx' });
  return text.replace('## Data\n\n', '').trim();
}

test('recognizes times in any format, and distinguishes months from minutes', async (t) => {
  for (const format of ['h:mm', 'hh:mm', 'h:mm;@', '[$-F400]h:mm:ss\\ AM/PM', 'mm:ss.0'])
    t.is(await shown(0.5625, format), '13:30:00', format);
  for (const format of ['d-mmm', 'm/d', 'yyyy"年"m"月"', '[$-409]d-mmm-yy;@', 'dddd, mmmm dd, yyyy'])
    t.is(await shown(45292, format), '2024-01-01', format);
  t.is(await shown(45292.75, 'dd.mm.yyyy hh:mm'), '2024-01-01 18:00:00');
});

test('ignores colors, conditions and literals of a number format when detecting dates', async (t) => {
  for (const format of ['[Magenta]0.00', '[Red]0.0', '[>=1000]0.0,"k";0', '0.0" hours"', '#,##0_);[Red](#,##0)'])
    t.is(await shown(1.5, format), '1.5', format);
  t.is(await shown(0.125, '[Blue]0.0%'), '12.5%');
});

test('displays durations beyond a day', async (t) => {
  t.is(await shown(1.260416666666667, '[h]:mm'), '30:15:00');
  t.is(await shown(-0.5, '[hh]:mm:ss'), '-12:00:00');
});

test('counts days from 1904 if the workbook declares it', async (t) => {
  t.is(await shown(43_894, 'yyyy-mm-dd', '<workbookPr date1904="1"/>'), '2024-03-05');
  t.is(await shown(43_894, 'yyyy-mm-dd', '<workbookPr/>'), '2020-03-04');
});

test('displays the first days of 1900 like Excel', async (t) => {
  t.is(await shown(1, 'yyyy-mm-dd'), '1900-01-01');
  t.is(await shown(61, 'yyyy-mm-dd'), '1900-03-01');
});

test('reads a workbook whose elements have a prefix', async (t) => {
  const rows =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Inline</t></is></c></row><row r="2"><c r="A2" s="1"><v>45292</v></c><c r="B2" t="s"/></row>';
  const { text } = await readBytes(workbook({ rows, formats: ['yyyy-mm-dd'], prefix: 'x:' }), { name: 's.xlsx' });
  t.is(text, '## Data\n\n| Shared | Inline |\n| --- | --- |\n| 2024-01-01 |  |\n\n');
});

test('reads comments and text boxes of a sheet', async (t) => {
  const parts = {
    'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships><Relationship Id="a" Type="${RELATIONS}/drawing" Target="../drawings/drawing1.xml"/><Relationship Id="b" Type="${RELATIONS}/comments" Target="../comments1.xml"/></Relationships>`,
    'xl/drawings/drawing1.xml':
      '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>See </a:t></a:r><a:r><a:t>below</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>',
    'xl/comments1.xml':
      '<comments><commentList><comment ref="A1"><text><r><t>Ann:</t></r><r><t> checked</t></r></text></comment><comment ref="B2"><text><t>[Threaded comment]\n\nYour version of Excel allows you to read this.\n\nComment:\n    Why 3?</t></text></comment><comment ref="C3"><text><t>[TODO] check\nPrice: 5 is wrong</t></text></comment></commentList></comments>',
  };
  const rows = '<row r="1"><c r="A1" t="str"><v>Bolt</v></c></row>';
  const { text } = await readBytes(workbook({ rows, parts }), { name: 's.xlsx' });
  t.is(
    text,
    '## Data\n\nBolt\n\nSee below\n\nComment on A1: Ann: checked\n\nComment on B2: Why 3?\n\nComment on C3: [TODO] check\nPrice: 5 is wrong\n\n',
  );
});

test('reads a sheet of more than a million elements', async (t) => {
  const cells = 'ABCDEFGHIJ'.split('').map((letter) => `<c r="${letter}1"><v>1</v></c>`);
  // Without references, rows and cells follow one another.
  const rows = `<row>${cells.join('').replace(/ r="\w+"/g, '')}</row>`.repeat(180_000);
  const { text } = await readBytes(workbook({ rows }), { name: 's.xlsx', maxTextBytes: 64 * 1024 * 1024 });
  t.is(text.match(/\n\|/g)?.length, 180_001);
});

test('shows formulas whose values a library did not store, moved where cells share one', async (t) => {
  const rows = [
    '<row r="1"><c r="A1" t="inlineStr"><is><t>Price</t></is></c><c r="B1" t="inlineStr"><is><t>Double</t></is></c></row>',
    '<row r="2"><c r="A2"><v>3</v></c><c r="B2"><f t="shared" ref="B2:B3" si="0">A2*$A$2&amp;"A2"</f><v></v></c></row>',
    '<row r="3"><c r="A3"><v>4</v></c><c r="B3"><f t="shared" si="0"/></c></row>',
    '<row r="4"><c r="A4"><f>_xlfn.SUM(A2:A3)</f><v/></c><c r="B4" t="str"><f>IF(A2=3,"","x")</f><v></v></c></row>',
    '<row r="5"><c r="A5"><f>A2+1</f><v>4</v></c></row>',
  ].join('');
  const { text } = await readBytes(workbook({ rows }), { name: 's.xlsx' });
  t.deepEqual(text.trim().split('\n').slice(2), [
    '| Price | Double |',
    '| --- | --- |',
    '| 3 | =A2*$A$2&"A2" |',
    '| 4 | =A3*$A$2&"A2" |',
    '| =SUM(A2:A3) |  |',
    '| 4 |  |',
  ]);
});

test('counts hidden sheets and does not read them', async (t) => {
  const sheets = ['visible', 'hidden', 'veryHidden'];
  const entry = (state: string, index: number): string =>
    `<sheet name="${state}" sheetId="${index + 1}" state="${state}" r:id="r${index}"/>`;
  const relation = (_: string, index: number): string =>
    `<Relationship Id="r${index}" Type="${RELATIONS}/worksheet" Target="worksheets/${index}.xml"/>`;
  const cell = (state: string): string =>
    `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>cell of ${state}</v></c></row></sheetData></worksheet>`;
  const parts = {
    'xl/workbook.xml': `<workbook><sheets>${sheets.map(entry).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets.map(relation).join('')}</Relationships>`,
    ...Object.fromEntries(sheets.map((state, index) => [`xl/worksheets/${index}.xml`, cell(state)])),
  };
  const { text, notes } = await readBytes(workbook({ rows: '', parts }), { name: 'w.xlsx' });
  t.is(text, '## visible\n\ncell of visible\n\n');
  t.deepEqual(notes, { sheet_count: 3, hidden_sheet_count: 2 });
});

/** Rows of cells with these texts. */
function textRows(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  return rows.map((row) => `<row>${row.map((text) => (text === '' ? '<c/>' : cell(text))).join('')}</row>`).join('');
}

test('writes a title above a table as a paragraph, and repeats the header below it in each part', async (t) => {
  const header = Array.from({ length: 18 }, (_, index) => `Skill ${index}`);
  const people = Array.from({ length: 60 }, (_, row) => header.map((_name, column) => `p${row}c${column}`));
  const merged = header.map(() => 'Staff list 2024');
  const { text } = await readBytes(workbook({ rows: textRows([merged, header, ...people]) }), { name: 's.xlsx' });
  t.true(text.startsWith('## Data\n\nStaff list 2024\n\nSkill 0: p0c0\nSkill 1: p0c1\n'));
  t.is(text.split('Staff list 2024').length, 2, 'the title is no name of a column');
  const narrow = [['Prices', '', ''], ['Item', 'Unit', 'Price'], ...people.map((row) => row.slice(0, 3))];
  const table = await readBytes(workbook({ rows: textRows(narrow) }), { name: 's.xlsx' });
  t.true(table.text.startsWith('## Data\n\nPrices\n\n| Item | Unit | Price |\n| --- | --- | --- |\n'));
  const chunks = [
    ...planChunks({ text: table.text, pages: [], notes: {} }, { maxTokens: 128, targetTokens: 100 }, (part) =>
      Math.ceil(part.length / 4),
    ),
  ];
  t.regex(chunks[1]?.context ?? '', /\| Item \| Unit \| Price \|/);
});

test('reads a staircase of filled cells by its cells, not by the square around them', async (t) => {
  const size = 4000;
  const cells = new Map(
    Array.from({ length: size }, (_, index) => [
      index,
      new Map([
        [index, `c${index}`],
        [index + 1, `d${index}`],
      ]),
    ]),
  );
  const [records] = [...sheetBlocks(cells)];
  t.true((records ?? '').length < 20 * size);
  t.true(records?.endsWith(`c${size - 1}\nd${size - 1}`));
});
