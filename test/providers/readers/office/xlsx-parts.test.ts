import test from 'ava';
import { zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The relationships of a part: types and targets. */
function relationships(targets: Readonly<Record<string, string>>): string {
  const list = Object.entries(targets).map(
    ([type, target]) => `<Relationship Id="${type}" Type="${TYPES}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;
}

/** A workbook with a sheet of this content. */
function workbook(sheet: string, parts: Readonly<Record<string, string>> = {}, codes: readonly string[] = []): Buffer {
  const formats = codes.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`).join('');
  const styles = codes.map((_, index) => `<xf numFmtId="${200 + index}"/>`).join('');
  return zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships({ officeDocument: 'xl/book.xml' }),
    'xl/book.xml': '<workbook><sheets><sheet name="Data" sheetId="1" r:id="worksheet"/></sheets></workbook>',
    'xl/_rels/book.xml.rels': relationships({
      worksheet: 'sheets/one.xml',
      sharedStrings: 'strings.xml',
      styles: 'mystyles.xml',
    }),
    'xl/mystyles.xml': `<styleSheet><numFmts>${formats}</numFmts><cellXfs><xf numFmtId="14"/>${styles}</cellXfs></styleSheet>`,
    'xl/strings.xml': '<sst><si><t>Name</t></si></sst>',
    'xl/sheets/one.xml': `<worksheet>${sheet}</worksheet>`,
    ...parts,
  });
}

async function readSheet(...content: Parameters<typeof workbook>): Promise<string> {
  return (await readBytes(workbook(...content), { name: 's.xlsx' })).text.trim();
}

function row(attributes: string, ...texts: string[]): string {
  return `<row ${attributes}>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
}

test('finds the parts of an Excel workbook wherever its relationships say that they are', async (t) => {
  const cells = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="0"><v>45293</v></c></row>';
  t.is(await readSheet(`<sheetData>${cells}</sheetData>`), '## Data\n\n| Name | 2024-01-02 |\n| --- | --- |');
});

test('finds the slides of a presentation whose main part has another name', async (t) => {
  const bytes = zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships({ officeDocument: 'ppt/deck.xml' }),
    'ppt/deck.xml': '<p:presentation><p:sldIdLst><p:sldId r:id="slide"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/deck.xml.rels': relationships({ slide: 'pages/first.xml' }),
    'ppt/pages/first.xml':
      '<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Offer</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
  });
  t.is((await readBytes(bytes, { name: 'p.pptx' })).text.trim(), 'Offer');
});

test('does not read hidden rows and columns, and what is beside them stays one table', async (t) => {
  const columns = '<cols><col min="2" max="2" hidden="1"/><col min="20" max="16384" hidden="1"/></cols>';
  const rows =
    row('r="1"', 'Item', 'Cost', 'Price') + row('r="2" hidden="1"', 'Old', '1', '2') + row('r="3"', 'Bolt', '3', '4');
  t.is(
    await readSheet(`${columns}<sheetData>${rows}</sheetData>`),
    '## Data\n\n| Item | Price |\n| --- | --- |\n| Bolt | 4 |',
  );
});

test('reads rows that a filter or a collapsed group hides', async (t) => {
  const hidden = row('r="2" hidden="1"', 'Bolt', '1');
  const rows = row('r="1"', 'Item', 'Price') + hidden;
  const whole = '## Data\n\n| Item | Price |\n| --- | --- |\n| Bolt | 1 |';
  t.is(await readSheet(`<sheetData>${rows}</sheetData><autoFilter ref="A1:B2"/>`), whole, 'the filter of the sheet');
  const table = {
    'xl/sheets/_rels/one.xml.rels': relationships({ table: '../tables/t.xml' }),
    'xl/tables/t.xml': '<table ref="A1:B2"><autoFilter ref="A1:B2"/></table>',
  };
  t.is(await readSheet(`<sheetData>${rows}</sheetData>`, table), whole, 'the filter of a table');
  const group = row('r="1"', 'Item', 'Price') + row('r="2" hidden="1" outlineLevel="1"', 'Bolt', '1');
  t.is(await readSheet(`<sheetData>${group}</sheetData>`), whole, 'a collapsed group');
});

test('reads no notice for older versions in place of a drawing', async (t) => {
  const box = (text: string): string =>
    `<xdr:sp><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
  const versions = `<mc:AlternateContent><mc:Choice Requires="a14"><sle:slicer/></mc:Choice><mc:Fallback>${box('This shape is a slicer.')}</mc:Fallback></mc:AlternateContent>`;
  const parts = {
    'xl/sheets/_rels/one.xml.rels': relationships({ drawing: 'drawing.xml' }),
    'xl/sheets/drawing.xml': `<xdr:wsDr>${box('A text box')}${versions}</xdr:wsDr>`,
  };
  t.is(await readSheet('<sheetData/>', parts), '## Data\n\nA text box');
});

test('shows the digits that a number format asks for', async (t) => {
  const shown = async (value: string, code: string): Promise<string> => {
    const cells = `<row r="1"><c r="A1" s="1"><v>${value}</v></c></row>`;
    return (await readSheet(`<sheetData>${cells}</sheetData>`, {}, [code])).replace('## Data\n\n', '');
  };
  t.is(await shown('1067', '00000'), '01067');
  t.is(await shown('78051120', '000\\-00\\-0000'), '078-05-1120');
  t.is(await shown('1067', '&quot;D-&quot;00000'), 'D-01067');
  t.is(await shown('1234567', '00000'), '1234567');
  for (const [value, code] of [
    ['7', '0'],
    ['7.5', '0.00'],
    ['7.5', '00000'],
    ['-7', '00000'],
    ['12', '#,##0'],
    ['12', '0.0E+00'],
  ] as const)
    t.is(await shown(value, code), value, `${value} in ${code}`);
});
