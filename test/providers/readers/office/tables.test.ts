import test from 'ava';
import { docx, docxParagraph } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const ORDER = '| Item | Price |\n| --- | --- |\n| Bolt | 3 |';
const ORDER_HTML = '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Bolt</td><td>3</td></tr></table>';

async function markdownOf(body: string): Promise<string> {
  return (await readBytes(`<html><body>${body}</body></html>`, { name: 'page.html' })).text.trim();
}

async function wordText(body: string): Promise<string> {
  return (await readBytes(docx(body), { name: 'a.docx' })).text.trim();
}

const cell = (content: string, properties = ''): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`;
const texts = (...words: string[]): string => row(...words.map((text) => cell(docxParagraph(text))));
const table = (...rows: string[]): string => `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join('')}</w:tbl>`;

test('keeps a table within a frame of one cell in a Word document', async (t) => {
  const inner = table(texts('Item', 'Price'), texts('Bolt', '3'));
  const framed = table(row(cell(docxParagraph('Your order') + inner + docxParagraph('Thanks'))));
  t.is(await wordText(framed), `Your order\n\n${ORDER}\n\nThanks`);
  t.is(await wordText(table(row(cell(framed)))), `Your order\n\n${ORDER}\n\nThanks`, 'also in two frames');
});

test('keeps the table of an HTML mail that is laid out with tables', async (t) => {
  const mail = [
    '<table width="100%"><tr><td><table role="presentation"><tr><td><h1>Shop</h1></td></tr>',
    `<tr><td><p>Dear Ann,</p>${ORDER_HTML}</td></tr><tr><td>&nbsp;</td></tr>`,
    '<tr><td><table role="presentation"><tr><td>Total</td><td><b>3 EUR</b></td></tr></table></td></tr>',
    '</table></td></tr></table>',
  ].join('');
  const message = `From: shop@example.com\r\nSubject: Order\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${mail}`;
  const { text } = await readBytes(message, { name: 'order.eml' });
  t.true(text.endsWith(`# Shop\n\nDear Ann,\n\n${ORDER}\n\nTotal **3 EUR**\n`), text);
});

test('keeps the tables in the columns of a page', async (t) => {
  const columns = `<table><tr><td>&nbsp;</td><td>Menu</td><td><h2>Prices</h2>${ORDER_HTML}</td></tr></table>`;
  t.is(await markdownOf(columns), `Menu\n\n## Prices\n\n${ORDER}`);
  const rows = `<table><tr><td colspan="2">Banner</td></tr><tr><td>Menu</td><td>${ORDER_HTML}</td></tr></table>`;
  t.is(await markdownOf(rows), `Banner\n\nMenu\n\n${ORDER}`);
});

test('a heading in a cell does not dissolve its table', async (t) => {
  const page = '<table><tr><td><h2>A</h2><p>text</p></td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>';
  t.is(await markdownOf(page), '| A text | B |\n| --- | --- |\n| 1 | 2 |');
  const heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Name</w:t></w:r></w:p>';
  const styles =
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>';
  const relations =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>';
  const body = table(row(cell(heading), cell(docxParagraph('Ann'))), texts('City', 'Bonn'));
  const { text } = await readBytes(
    docx(body, { 'word/styles.xml': styles, 'word/_rels/document.xml.rels': relations }),
    { name: 'a.docx' },
  );
  t.is(text.trim(), '| Name | Ann |\n| --- | --- |\n| City | Bonn |');
});

test('a page with a section in a column of its layout keeps the heading', async (t) => {
  const page = `<table><tr><td>Menu</td><td>Login</td></tr><tr><td>Home</td><td><h1>News</h1><p>${'word '.repeat(120)}</p></td></tr></table>`;
  t.regex(await markdownOf(page), /^Menu Login\n\nHome\n\n# News\n\nword word/);
});

test('reads a column of cells as a table in a Word document, and on a page with a header cell only', async (t) => {
  t.is(await wordText(table(texts('Steps'), texts('Mix'), texts('Bake'))), '| Steps |\n| --- |\n| Mix |\n| Bake |');
  t.is(await markdownOf('<table><tr><th>Steps</th></tr><tr><td>Mix</td></tr></table>'), '| Steps |\n| --- |\n| Mix |');
  t.is(await markdownOf('<table><tr><td>Hello</td></tr><tr><td>World</td></tr></table>'), 'Hello\n\nWorld');
});

test('reads merged cells of Word documents with bookmarks between rows and cells', async (t) => {
  const mark = '<w:bookmarkStart w:id="1" w:name="m"/><w:bookmarkEnd w:id="1"/>';
  const from = cell(docxParagraph('North'), '<w:vMerge w:val="restart"/>');
  const to = cell(docxParagraph(''), '<w:vMerge/>');
  const body = table(
    texts('Region', 'City'),
    mark + row(from, mark + cell(docxParagraph('Kiel'))),
    row(to, cell(docxParagraph('Oslo'))),
  );
  t.is(await wordText(body), '| Region | City |\n| --- | --- |\n| North | Kiel |\n| North | Oslo |');
});

test('keeps the columns of rows that begin late or end early, and of cells merged the older way', async (t) => {
  const late = `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell(docxParagraph('b'))}${cell(docxParagraph('c'))}</w:tr>`;
  const early = `<w:tr><w:trPr><w:gridAfter w:val="2"/></w:trPr>${cell(docxParagraph('a'))}</w:tr>`;
  const merged = row(
    cell(docxParagraph('x'), '<w:hMerge w:val="restart"/>'),
    cell(docxParagraph(''), '<w:hMerge/>'),
    cell(docxParagraph('z')),
  );
  t.is(
    await wordText(table(texts('A', 'B', 'C'), late, early, merged)),
    '| A | B | C |\n| --- | --- | --- |\n|  | b | c |\n| a |  |  |\n| x | x | z |',
  );
});

test('reads check boxes of Word documents, new and old', async (t) => {
  const w14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"';
  const box = (isChecked: boolean): string =>
    `<w:sdt><w:sdtPr><w14:checkbox ${w14}><w14:checked w14:val="${isChecked ? 1 : 0}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>${isChecked ? '☒' : '☐'}</w:t></w:r></w:sdtContent></w:sdt>`;
  const field = (state: string): string =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>${state}</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const line = (mark: string, text: string): string =>
    `<w:p>${mark}<w:r><w:t xml:space="preserve"> ${text}</w:t></w:r></w:p>`;
  const body = line(box(true), 'Paid') + line(box(false), 'Sent') + line(field('<w:checked/>'), 'Old');
  t.is(
    await wordText(body + line(field('<w:default w:val="0"/>'), 'Open')),
    '[x] Paid\n\n[ ] Sent\n\n[x] Old\n\n[ ] Open',
  );
  t.is(
    await wordText(table(texts('Task', 'Done'), row(cell(docxParagraph('Pay')), cell(`<w:p>${box(true)}</w:p>`)))),
    '| Task | Done |\n| --- | --- |\n| Pay | [x] |',
  );
});

test('reads check boxes of pages as checked when they are, and not those that operate the page', async (t) => {
  const items = '<ul><li><input type="checkbox" checked> a</li><li><input type=checkbox disabled> b</li></ul>';
  t.is(await markdownOf(items), '- [x] a\n- [ ] b');
  t.is(await markdownOf('<p><label><input type="checkbox" checked="checked"/> Agreed</label></p>'), '[x] Agreed');
  t.is(await markdownOf('<p><span role="checkbox" aria-checked="true">Done</span></p>'), '[x] Done');
  t.is(await markdownOf('<p>x</p><div><input type="checkbox" role="button"><label>Menu</label></div>'), 'x\n\nMenu');
});

test('reads many check boxes side by side in time that grows with their number', async (t) => {
  const text = await markdownOf(`<p>${'<input type="checkbox" checked> a '.repeat(30_000)}</p>`);
  t.is(text.split('[x]').length - 1, 30_000);
});
