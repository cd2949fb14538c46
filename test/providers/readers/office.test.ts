import test from 'ava';
import { docx, docxParagraph, zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function pptx(slides: readonly string[], hidden: readonly number[] = []): Buffer {
  const ids = slides.map((_, index) => `<p:sldId r:id="r${index}"/>`).join('');
  const relations = slides.map(
    (_, index) =>
      `<Relationship Id="r${index}" Type="${RELATIONS}/slide" Target="slides/slide${slides.length - index}.xml"/>`,
  );
  return zip({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    ...Object.fromEntries(
      slides.map((shapes, index) => [
        `ppt/slides/slide${slides.length - index}.xml`,
        `<p:sld${hidden.includes(index) ? ' show="0"' : ''}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      ]),
    ),
  });
}

function shape(paragraphs: readonly string[], placeholder = ''): string {
  const body = paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('');
  return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody>${body}</p:txBody></p:sp>`;
}

function xlsx(rows: string, extra = ''): Buffer {
  return zip({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Stock" sheetId="1" r:id="r1"/><sheet name="Empty" sheetId="2" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${RELATIONS}/worksheet" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
    'xl/sharedStrings.xml':
      '<sst><si><t>Item</t></si><si><r><t>Bo</t></r><r><t>lt</t></r><rPh><t>x</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData>${extra}</worksheet>`,
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
  });
}

test('reads slides as pages in the order of the presentation, with titles, lists and tables, without slide numbers and footers', async (t) => {
  const cell = (text: string, attributes = ''): string =>
    `<a:tc${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const table = `<p:graphicFrame><a:tbl><a:tr>${cell('Size', ' gridSpan="2"')}${cell('', ' hMerge="1"')}</a:tr><a:tr>${cell('1')}${cell('2')}</a:tr></a:tbl></p:graphicFrame>`;
  const bytes = pptx([
    shape(['3'], 'sldNum') + shape(['Bolts', 'Nuts'], 'body') + shape(['What we sell'], 'title'),
    shape(['Sizes'], 'title') + table,
  ]);
  const { text, pages, notes, mediaType } = await readBytes(bytes, { name: 's.pptx' });
  t.true(mediaType.endsWith('presentation'));
  t.is(text, '# What we sell\n\n- Bolts\n- Nuts\n\n# Sizes\n\n| Size | Size |\n| --- | --- |\n| 1 | 2 |\n\n');
  t.deepEqual(
    pages.map(({ page, start }) => [page, text.slice(start, start + 6)]),
    [
      [1, '# What'],
      [2, '# Size'],
    ],
  );
  t.is(notes['page_count'], 2);
});

test('counts hidden slides and does not read them; the others keep their numbers', async (t) => {
  const slides = [shape(['Draft'], 'title'), shape(['Offer'], 'title'), shape(['Backup'], 'title')];
  const { text, pages, notes } = await readBytes(pptx(slides, [0, 2]), { name: 's.pptx' });
  t.is(text, '# Offer\n\n');
  t.deepEqual(notes, { page_count: 3, hidden_slide_count: 2 });
  t.is(pages.findLast(({ start }) => start <= text.indexOf('Offer'))?.page, 2);
});

test('reads sheets as tables with shared strings, dates and percentages as displayed, and omits empty sheets', async (t) => {
  const rows =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>When</t></is></c><c r="C1" t="str"><v>Share</v></c></row>' +
    '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>45292</v></c><c r="C2" s="3"><v>0.125</v></c></row>' +
    '<row r="3"><c r="A3"><v>4.4000000000000004</v></c><c r="B3" s="2"><v>45292.5</v></c><c r="C3" t="b"><v>1</v></c></row>' +
    '<row r="9"><c r="E9" t="str"><v>apart</v></c></row>';
  const { text } = await readBytes(xlsx(rows), { name: 's.xlsx' });
  t.is(
    text,
    '## Stock\n\n| Item | When | Share |\n| --- | --- | --- |\n| Bolt | 2024-01-01 | 12.5% |\n| 4.4 | 2024-01-01 12:00:00 | TRUE |\n\napart\n\n',
  );
});

test('renders a wide sheet as records that name their values', async (t) => {
  const letters = 'ABCDEFGHIJKLMNOPQRST'.split('');
  const row = (number: number, prefix: string): string =>
    `<row r="${number}">${letters.map((letter) => `<c r="${letter}${number}" t="str"><v>${prefix}${letter}</v></c>`).join('')}</row>`;
  const { text } = await readBytes(xlsx(row(1, 'head') + row(2, 'value')), { name: 's.xlsx' });
  t.true(text.includes('headB: valueB\nheadC: valueC'), text);
});

test('keeps headings, nested lists, tables and notes of an OpenDocument text', async (t) => {
  const content =
    '<office:document-content><office:automatic-styles><text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style></office:automatic-styles>' +
    '<office:body><office:text><text:h text:outline-level="2">Terms</text:h><text:p>Pay<text:s text:c="2"/>soon<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Within a week.</text:p></text:note-body></text:note>.</text:p>' +
    '<text:list text:style-name="N"><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Inner</text:p></text:list-item></text:list></text:list-item></text:list>' +
    '<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>';
  const bytes = zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content });
  const { text } = await readBytes(bytes, { name: 't.odt' });
  t.is(text, '## Terms\n\nPay soon.\n\n1. One\n   - Inner\n\n| a | b |\n| --- | --- |\n\nWithin a week.\n');
});

test('reads an EPUB book in the order of its spine', async (t) => {
  const bytes = zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>',
    'in/book.opf':
      '<package><metadata><dc:title>Otters</dc:title></metadata><manifest><item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'in/one.xhtml': '<html><head><title>Otters</title></head><body><h2>One</h2><p>first</p></body></html>',
    'in/two b.xhtml': '<html><body><h2>Two</h2><p>second</p></body></html>',
  });
  const { text, notes } = await readBytes(bytes, { name: 'b.epub' });
  t.is(text, '## One\n\nfirst\n\n## Two\n\nsecond\n\n');
  t.deepEqual(notes, { chapter_count: 2, title: 'Otters' });
});

test('keeps headings, emphasis, tables and code page characters of RTF', async (t) => {
  const bytes =
    "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\stylesheet{\\s1 heading 1;}}\\pard\\s1 Title\\par\\pard Caf\\'e9 \\u8364? and {\\b bold} text{\\*\\secret hidden}\\par" +
    '\\trowd\\intbl a\\cell b\\cell\\row\\trowd\\intbl 1\\cell 2\\cell\\row\\pard end\\par}';
  const { text, mediaType } = await readBytes(bytes, { name: 'd.rtf' });
  t.is(mediaType, 'application/rtf');
  t.is(text, '# Title\n\nCafé € and **bold** text\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nend\n');
});

test('reads addresses, date, subject and body of an e-mail, and the names of its attachments', async (t) => {
  const bytes =
    'Message-ID: <1@x>\r\nFrom: Ann <ann@example.com>\r\nTo: Bob <bob@example.com>\r\nSubject: =?utf-8?Q?Caf=C3=A9?=\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\n' +
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<table><tr><td>a</td><td>b</td></tr></table><img src="http://127.0.0.1:1/x.png">\r\n' +
    '--b\r\nContent-Type: application/pdf; name=r.pdf\r\nContent-Disposition: attachment; filename=r.pdf\r\n\r\nx\r\n--b--\r\n';
  const { text, mediaType, notes } = await readBytes(bytes, { name: 'mail' });
  t.is(mediaType, 'message/rfc822');
  t.true(text.startsWith('# Café\n\nFrom: Ann <ann@example.com>\nTo: Bob <bob@example.com>\nDate: '), text);
  t.true(text.includes('| a | b |'));
  t.true(text.endsWith('Attachments: r.pdf\n'), text);
  t.is(notes['attachment_count'], 1);
});

test('reads the numbers of headings and list items of a Word document as Word shows them', async (t) => {
  const numbering =
    '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2."/></w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>';
  const item = (text: string, level: number): string =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="7"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const body = item('First', 0) + item('Inner', 1) + docxParagraph('Between.') + item('Second', 0);
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="n" Type="${RELATIONS}/numbering" Target="numbering.xml"/></Relationships>`;
  const namespaced = numbering.replace(
    '<w:numbering>',
    '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">',
  );
  const { text } = await readBytes(
    docx(body, { 'word/numbering.xml': namespaced, 'word/_rels/document.xml.rels': relations }),
    { name: 'd.docx' },
  );
  t.is(text, '1. First\n   - 1.1. Inner\n\nBetween.\n\n2. Second\n');
});

test('reads an equation of a Word document as LaTeX', async (t) => {
  const math =
    '<w:p><m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>α</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>v</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath></w:p>';
  const { text } = await readBytes(docx(math), { name: 'd.docx' });
  t.is(text.trim(), '$$x=\\frac{\\alpha}{v^{2}}$$');
});
