import test from 'ava';
import { docx, docxParagraph, zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const STYLES = ['Heading1:heading 1', 'Heading2:heading 2', 'Title:Title', 'SourceCode:Source Code']
  .map((pair) => pair.split(':'))
  .map(([id, name]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`)
  .join('');
const STYLE_PARTS = {
  'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${STYLES}</w:styles>`,
  'word/_rels/document.xml.rels':
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
};

test('keeps headings, paragraphs, tables and code', async (t) => {
  const row = (...cells: string[]): string =>
    `<w:tr>${cells.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join('')}</w:tr>`;
  const body = [
    docxParagraph('Contract', 'Title'),
    docxParagraph('Terms', 'Heading2'),
    docxParagraph('Payment is due in 30 days.'),
    docxParagraph('let a = 1;', 'SourceCode'),
    docxParagraph('  a += 1;', 'SourceCode'),
    `<w:tbl>${row('Item', 'Price')}${row('Bolt', '3')}</w:tbl>`,
  ].join('');
  const { text, mediaType } = await readBytes(docx(body, STYLE_PARTS), { name: 'c.docx' });
  t.true(mediaType.endsWith('wordprocessingml.document'));
  t.is(
    text,
    '# Contract\n\n### Terms\n\nPayment is due in 30 days.\n\n```\nlet a = 1;\n  a += 1;\n```\n\n| Item | Price |\n| --- | --- |\n| Bolt | 3 |\n',
  );
});

test('rejects a damaged Word document with `unreadable`', async (t) => {
  const bytes = docx(docxParagraph('x'.repeat(5000)));
  await t.throwsAsync(readBytes(bytes.subarray(0, bytes.length - 40), { name: 'c.docx' }), { code: 'unreadable' });
  await t.throwsAsync(readBytes(docx('<w:p><w:r'), { name: 'c.docx' }), { code: 'unreadable' });
});

test('rejects a document whose inflated size exceeds the limit before inflating it', async (t) => {
  const bomb = docx(docxParagraph(' '.repeat(4_000_000)));
  t.true(bomb.length < 20_000);
  await t.throwsAsync(readBytes(bomb, { name: 'c.docx', maxTextBytes: 100_000 }), {
    code: 'read_output_limit',
    message: /unpacks to/,
  });
});

test('reads an archive named like a Word document as the list of its files', async (t) => {
  const { text, mediaType } = await readBytes(zip({ 'a.docx': 'a' }), { name: 'c.docx', reader: 'docx' });
  t.is(mediaType, 'application/zip');
  t.true(text.includes('- a.docx'));
});

test('reads successive paragraphs in a monospaced font as a code block, but not a single one', async (t) => {
  const typed = (text: string): string =>
    `<w:p><w:r><w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
  const prose = docxParagraph('This is how a loop is written in this language, in three lines.');
  const body = prose + typed('for item in items:') + typed('    print(item)') + prose + typed('alone') + prose;
  const { text } = await readBytes(docx(body), { name: 'a.docx' });
  const sentence = 'This is how a loop is written in this language, in three lines.';
  const code = ['```', 'for item in items:', '    print(item)', '```'].join('\n');
  t.is(text, `${[sentence, code, sentence, 'alone', sentence].join('\n\n')}\n`);
  const broken =
    '<w:p><w:pPr><w:pStyle w:val="SourceCode"/></w:pPr><w:r><w:t>one();</w:t><w:br/><w:br/><w:t>two();</w:t></w:r></w:p>';
  const inOne = await readBytes(docx(broken, STYLE_PARTS), { name: 'a.docx' });
  t.is(inOne.text, '```\none();\n\ntwo();\n```\n', 'line breaks within a paragraph are those of the code');
  const whole = await readBytes(docx(typed('one line') + typed('another')), { name: 'a.docx' });
  t.false(whole.text.includes('```'));
});
