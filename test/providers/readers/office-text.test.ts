import test from 'ava';
import { docx, docxParagraph, zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const PACKAGE_RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';

function run(text: string): string {
  return `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

async function readDocx(body: string, parts: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await readBytes(docx(body, parts), { name: 'd.docx' })).text;
}

test('reads tracked changes as if they were accepted', async (t) => {
  const changes = `<w:ins>${run('new ')}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del><w:moveFrom>${run('there ')}</w:moveFrom><w:moveTo>${run('here ')}</w:moveTo>`;
  t.is(await readDocx(`<w:p>${run('The ')}${changes}${run('end')}</w:p>`), 'The new here end\n');
});

test('reads simple fields, right-to-left runs and the base text of ruby', async (t) => {
  const ruby = `<w:r><w:ruby><w:rt>${run('かんじ')}</w:rt><w:rubyBase>${run('漢字')}</w:rubyBase></w:ruby></w:r>`;
  const body = `<w:p>${run('Figure ')}<w:fldSimple w:instr="SEQ Figure">${run('7')}</w:fldSimple>${run(' ')}<w:dir w:val="rtl">${run('שלום')}</w:dir>${run(' ')}${ruby}${run('です')}</w:p>`;
  t.is(await readDocx(body), 'Figure 7 שלום 漢字です\n');
});

test('reads a text box once, with and without a fallback for older programs', async (t) => {
  const choice = (text: string): string =>
    `<mc:Choice Requires="wps"><w:drawing><w:txbxContent>${docxParagraph(text)}</w:txbxContent></w:drawing></mc:Choice>`;
  const fallback = `<mc:Fallback><w:pict><w:txbxContent>${docxParagraph('Both')}</w:txbxContent></w:pict></mc:Fallback>`;
  const box = (versions: string): string =>
    `<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">${versions}</mc:AlternateContent></w:r>${run('Anchor')}</w:p>`;
  const text = await readDocx(box(choice('Both') + fallback) + box(choice('Only new')));
  t.deepEqual(text.split(/\n+/).filter(Boolean), ['Anchor', 'Both', 'Anchor', 'Only new']);
});

test('puts the comments of a Word document at its end, without marks in the text', async (t) => {
  const body = `<w:p>${run('Text')}<w:r><w:commentReference w:id="0"/></w:r>${run('.')}</w:p>`;
  const text = await readDocx(body, {
    'word/comments.xml': `<w:comments xmlns:w="${WORD}"><w:comment w:id="0" w:initials="AB">${docxParagraph('Check this.')}</w:comment></w:comments>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="${PACKAGE_RELATIONS}"><Relationship Id="c" Type="${RELATIONS}/comments" Target="comments.xml"/></Relationships>`,
  });
  t.is(text, 'Text.\n\nComment [AB1]\n\nCheck this.\n');
});

test('restarts list numbers at the declared start', async (t) => {
  const numbering = `<w:numbering xmlns:w="${WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num></w:numbering>`;
  const item = (text: string, list: number): string =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${run(text)}</w:p>`;
  const text = await readDocx(item('a', 1) + item('b', 1) + docxParagraph('Between') + item('c', 2) + item('d', 2), {
    'word/numbering.xml': numbering,
    'word/_rels/document.xml.rels': `<Relationships xmlns="${PACKAGE_RELATIONS}"><Relationship Id="n" Type="${RELATIONS}/numbering" Target="numbering.xml"/></Relationships>`,
  });
  t.is(text, '1. a\n2. b\n\nBetween\n\n5. c\n6. d\n');
});

test('inserts the texts of a diagram where the slide shows it', async (t) => {
  const point = (text: string, type = ''): string =>
    `<dgm:pt${type}><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const bytes = zip({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': `<Relationships><Relationship Id="r1" Type="${RELATIONS}/slide" Target="slides/slide1.xml"/></Relationships>`,
    'ppt/slides/slide1.xml':
      '<p:sld><p:cSld><p:spTree><p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="r7"/></a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>',
    'ppt/slides/_rels/slide1.xml.rels': `<Relationships><Relationship Id="r7" Type="${RELATIONS}/diagramData" Target="../diagrams/data1.xml"/></Relationships>`,
    'ppt/diagrams/data1.xml': `<dgm:dataModel><dgm:ptLst>${point('', ' type="doc"')}${point('Plan')}${point('Do')}${point('layout', ' type="pres"')}</dgm:ptLst></dgm:dataModel>`,
  });
  t.is((await readBytes(bytes, { name: 's.pptx' })).text, '- Plan\n- Do\n\n');
});

test('continues or restarts numbered lists of an OpenDocument text as declared', async (t) => {
  const list = (attributes: string, items: string): string =>
    `<text:list text:style-name="N"${attributes}>${items}</text:list>`;
  const item = (text: string, attributes = ''): string =>
    `<text:list-item${attributes}><text:p>${text}</text:p></text:list-item>`;
  const body =
    list('', item('a') + item('b')) +
    '<text:p>Between</text:p>' +
    list(' text:continue-numbering="true"', item('c')) +
    '<text:p>Then</text:p>' +
    list('', item('g', ' text:start-value="7"'));
  const content = `<office:document-content><office:automatic-styles><text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style></office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  const bytes = zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content });
  const { text } = await readBytes(bytes, { name: 't.odt' });
  t.is(text, '1. a\n2. b\n\nBetween\n\n3. c\n\nThen\n\n7. g\n');
});

test('reads the cells of an OpenDocument sheet with spaces between words, without comments, and with column spans', async (t) => {
  const rows =
    '<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Both</text:p></table:table-cell><table:covered-table-cell/></table:table-row>' +
    '<table:table-row><table:table-cell><office:annotation><text:p>Why?</text:p></office:annotation><text:p>one<text:line-break/>two<text:tab/>three</text:p></table:table-cell><table:table-cell><text:p>3.5</text:p></table:table-cell></table:table-row>';
  const content = `<office:document-content><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`;
  const bytes = zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': content });
  const { text } = await readBytes(bytes, { name: 's.ods' });
  t.is(text, '## S\n\n| Both | Both |\n| --- | --- |\n| one two three | 3.5 |\n\n');
});

function epub(chapter: string | Buffer): Buffer {
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><manifest><item id="a" href="Chapter.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'chapter.xhtml': chapter,
  });
}

test('reads a chapter without ruby text, with note references separated from words, and with self-closing elements', async (t) => {
  const chapter =
    '<html><head><title/><script src="x.js"/></head><body><p>The <ruby>漢<rt>かん</rt>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby> word<a epub:type="noteref" href="#n">1</a> and<sup><a href="#m">2</a></sup>.</p><a id="p2"/><p>x<sup>2</sup></p></body></html>';
  const { text } = await readBytes(epub(chapter), { name: 'b.epub' });
  t.is(text, 'The 漢字 word[1] and[2].\n\nx2\n\n');
  const narrated = '<html><body><h1>One</h1><audio src="one.mp3"/><p>All of the text.</p></body></html>';
  t.is((await readBytes(epub(narrated), { name: 'b.epub' })).text, '# One\n\nAll of the text.\n\n');
});

function book(files: Readonly<Record<string, string>>, hrefs: readonly string[]): Buffer {
  const items = hrefs.map((href, at) => `<item id="c${at}" href="${href}" media-type="application/xhtml+xml"/>`);
  const spine = hrefs.map((_, at) => `<itemref idref="c${at}"/>`);
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>',
    'in/book.opf': `<package><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ...files,
  });
}

const CHAPTER_NAMES: readonly (readonly [href: string, file: string])[] = [
  ['Chapter%201%2C%20Intro.xhtml', 'Chapter 1, Intro.xhtml'],
  ['Q%26A.xhtml', 'Q&A.xhtml'],
  ['Q&amp;A.xhtml', 'Q&A.xhtml'],
  ['caf%C3%A9.xhtml', 'caf\u00e9.xhtml'],
  ['caf\u00e9.xhtml', 'cafe\u0301.xhtml'],
  ['cafe\u0301.xhtml', 'caf\u00e9.xhtml'],
  ['100%.xhtml', '100%.xhtml'],
  ['one.xhtml#start', 'one.xhtml'],
];
for (const [href, file] of CHAPTER_NAMES) {
  test(`finds the chapter ${href} of a book in the file ${file}`, async (t) => {
    const chapter = '<html><body><p>The chapter</p></body></html>';
    const { text, notes } = await readBytes(book({ [`in/${file}`]: chapter }, [href]), { name: 'b.epub' });
    t.is(text, 'The chapter\n\n');
    t.deepEqual(notes, { chapter_count: 1 });
  });
}

test('counts chapters that a book lacks, and rejects one without any as `unreadable`', async (t) => {
  const files = { 'in/one.xhtml': '<html><body><p>The chapter</p></body></html>' };
  const { text, notes } = await readBytes(book(files, ['one.xhtml', 'two.xhtml']), { name: 'b.epub' });
  t.is(text, 'The chapter\n\n');
  t.deepEqual(notes, { chapter_count: 2, missing_chapter_count: 1 });
  await t.throwsAsync(readBytes(book(files, ['two.xhtml']), { name: 'b.epub' }), { code: 'unreadable' });
});

test('reads a chapter in UTF-16, and one full of unclosed titles in reasonable time', async (t) => {
  const utf16 = Buffer.concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from('<html><body><p>Überschrift</p></body></html>', 'utf16le'),
  ]);
  t.is((await readBytes(epub(utf16), { name: 'b.epub' })).text, 'Überschrift\n\n');
  const { text } = await readBytes(epub(`<html><body><p>x</p>${'<title'.repeat(400_000)}`), { name: 'b.epub' });
  t.true(text.startsWith('x'), text.slice(0, 20));
});
