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

test('finds the parts of a Word document wherever its relationships say that they are', async (t) => {
  const relationships = (entries: Record<string, string>): string => {
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const list = Object.entries(entries).map(
      ([type, target]) => `<Relationship Id="${type}" Type="${types}/${type}" Target="${target}"/>`,
    );
    return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;
  };
  const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const body = `${docxParagraph('Terms', 'Clause')}<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Pay</w:t></w:r></w:p>
    <w:p><w:r><w:t>Rates</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
  const styles = `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`;
  const numbering = `<w:numbering ${W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
  const notes = `<w:footnotes ${W}><w:footnote w:id="2">${docxParagraph('In euros.')}</w:footnote></w:footnotes>`;
  for (const [place, targets] of Object.entries({
    dots: { styles: './styles9.xml', numbering: '../word/list%20numbers.xml', footnotes: './notes9.xml' },
    absolute: { styles: '/word/styles9.xml', numbering: '/word/list%20numbers.xml', footnotes: '/word/notes9.xml' },
  })) {
    const parts: Record<string, string> = {
      '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
      '_rels/.rels': relationships({ officeDocument: 'word/./document2.xml' }),
      'word/document2.xml': `<w:document ${W}><w:body>${body}</w:body></w:document>`,
      'word/_rels/document2.xml.rels': relationships(targets),
      'word/styles9.xml': styles,
      'word/list numbers.xml': numbering,
      'word/notes9.xml': notes,
    };
    const { text } = await readBytes(zip(parts), { name: 'terms.docx' });
    t.regex(text, /^## Terms\n\n- a\) Pay|^## Terms\n\na\) Pay/, place);
    t.true(text.includes('In euros.'), place);
  }
});
