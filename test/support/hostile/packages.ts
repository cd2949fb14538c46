import { docx, docxParagraph, zip } from '../documents.ts';
import type { HostileFile } from './corpus.ts';

const WORKBOOK = {
  'xl/workbook.xml':
    '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
};
const LAUGHS = `<!DOCTYPE l [<!ENTITY a "lol">${Array.from({ length: 12 }, (_, index) => `<!ENTITY ${'bcdefghijklm'[index]} "${`&${'abcdefghijkl'[index]};`.repeat(10)}">`).join('')}]>`;

/** Archives and the XML in them: bombs, lies, entities, depth. `trap` is an address that nothing may ask for. */
export function hostilePackages(trap: string): HostileFile[] {
  const blank = ' '.repeat(60_000_000);
  const sheet = (rows: string): Buffer =>
    zip({ ...WORKBOOK, 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>` });
  const merged = (reference: string): Buffer =>
    zip({
      ...WORKBOOK,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>x</v></c></row></sheetData><mergeCells><mergeCell ref="${reference}"/></mergeCells></worksheet>`,
    });
  const whole = docx(docxParagraph('A sentence in a Word document. '.repeat(200)));
  const bodyOf = (xml: string): Buffer => zip({ ...emptyDocx(), 'word/document.xml': xml });
  return [
    { name: 'bomb.docx', bytes: docx(docxParagraph(blank)) },
    {
      name: 'lying-about-its-size.docx',
      bytes: zip(
        { ...emptyDocx(), 'word/document.xml': `<w:document><w:body>${docxParagraph(blank)}</w:body></w:document>` },
        { claimedBytes: 100 },
      ),
    },
    {
      name: 'bomb.xlsx',
      bytes: zip({
        ...WORKBOOK,
        'xl/sharedStrings.xml': `<sst><si><t>${blank}${blank}</t></si></sst>`,
        'xl/worksheets/sheet1.xml': '<worksheet/>',
      }),
    },
    {
      name: 'bomb.pptx',
      bytes: zip({
        'ppt/presentation.xml': '<p:presentation/>',
        'ppt/slides/slide1.xml': `<p:sld>${blank}${blank}</p:sld>`,
      }),
    },
    { name: 'bomb.odt', bytes: odf(`<office:document-content>${blank}${blank}</office:document-content>`) },
    { name: 'bomb.epub', bytes: epub(`<html><body>${blank}${blank}</body></html>`) },
    {
      name: 'many-entries.docx',
      bytes: docx(
        docxParagraph('x'),
        Object.fromEntries(Array.from({ length: 25_000 }, (_, index) => [`word/media/${index}`, 'x'])),
      ),
    },
    { name: 'nested.docx', bytes: zip({ 'word/inner.docx': zip({ 'word/inner.docx': whole }) }) },
    {
      name: 'climbing-names.docx',
      bytes: docx(docxParagraph('inside'), { '../../../../etc/passwd': 'x', '/etc/shadow': 'x' }),
    },
    { name: 'cut-off.docx', bytes: whole.subarray(0, whole.length - 200) },
    { name: 'without-document.docx', bytes: zip({ ...emptyDocx(), 'word/styles.xml': '<w:styles/>' }) },
    { name: 'encrypted-entry.docx', bytes: flagged(whole, 1) },
    { name: 'unknown-compression.docx', bytes: withMethod(whole, 99) },
    { name: 'entries-beyond-the-end.docx', bytes: withOffsets(whole, 0x7fff_fff0) },
    { name: 'empty-archive.docx', bytes: zip({}) },
    {
      name: 'laughs.docx',
      bytes: bodyOf(
        `<?xml version="1.0"?>${LAUGHS}<w:document><w:body><w:p><w:r><w:t>&m;</w:t></w:r></w:p></w:body></w:document>`,
      ),
    },
    {
      name: 'external-file-entity.docx',
      bytes: bodyOf(
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>',
      ),
    },
    {
      name: 'external-entity.docx',
      bytes: bodyOf(
        `<!DOCTYPE d [<!ENTITY x SYSTEM "${trap}/entity">]><w:document><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>`,
      ),
    },
    {
      name: 'external-dtd.odt',
      bytes: odf(
        `<!DOCTYPE d SYSTEM "${trap}/dtd"><office:document-content><office:body><office:text><text:p>hello there</text:p></office:text></office:body></office:document-content>`,
      ),
    },
    { name: 'laughs.odt', bytes: odf(`${LAUGHS}<office:document-content>&m;</office:document-content>`) },
    {
      name: 'external-image.docx',
      bytes: docx(docxParagraph('with a picture from elsewhere'), {
        'word/_rels/document.xml.rels': `<Relationships><Relationship Id="r9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="${trap}/picture.png" TargetMode="External"/></Relationships>`,
      }),
    },
    {
      name: 'linked-picture.odt',
      bytes: odf(
        `<office:document-content><office:body><office:text><text:p>a picture</text:p><draw:frame><draw:image xlink:href="${trap}/picture.png"/></draw:frame></office:text></office:body></office:document-content>`,
      ),
    },
    {
      name: 'remote-chapter.epub',
      bytes: epub(
        `<html><head><link rel="stylesheet" href="${trap}/x.css"/></head><body><p>text</p><img src="${trap}/x.png"/><iframe src="${trap}/x"/></body></html>`,
      ),
    },
    {
      name: 'deep.docx',
      bytes: bodyOf(
        `<w:document><w:body>${'<w:sdt>'.repeat(50_000)}${'</w:sdt>'.repeat(50_000)}</w:body></w:document>`,
      ),
    },
    {
      name: 'deep.pptx',
      bytes: zip({
        'ppt/presentation.xml': '<p:presentation/>',
        'ppt/slides/slide1.xml': `<p:sld>${'<p:grpSp>'.repeat(50_000)}`,
      }),
    },
    {
      name: 'many-attributes.xlsx',
      bytes: sheet(`<row ${Array.from({ length: 100_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`),
    },
    { name: 'not-well-formed.xlsx', bytes: sheet('<row><c></row>') },
    { name: 'row-out-of-range.xlsx', bytes: sheet('<row r="999999999"><c r="A999999999" t="str"><v>x</v></c></row>') },
    { name: 'column-out-of-range.xlsx', bytes: sheet('<row r="1"><c r="ZZZZZ1" t="str"><v>x</v></c></row>') },
    {
      name: 'missing-shared-text.xlsx',
      bytes: sheet('<row r="1"><c r="A1" t="s"><v>-5</v></c><c r="B1" t="s"><v>1e99</v></c></row>'),
    },
    { name: 'all-merged.xlsx', bytes: merged('A1:XFD1048576') },
    { name: 'merged-nonsense.xlsx', bytes: merged('ZZ:A-1') },
    {
      name: 'repeated-columns.ods',
      bytes: ods(
        '<table:table-row><table:table-cell table:number-columns-repeated="999999999"><text:p>x</text:p></table:table-cell></table:table-row>',
      ),
    },
    {
      name: 'repeated-rows.ods',
      bytes: ods(
        '<table:table-row table:number-rows-repeated="999999999"><table:table-cell table:number-columns-repeated="1000"><text:p>x</text:p></table:table-cell></table:table-row>',
      ),
    },
    {
      name: 'huge-spans.odt',
      bytes: odf(
        `<office:document-content><office:body><office:text><table:table>${'<table:table-row><table:table-cell table:number-columns-spanned="999" table:number-rows-spanned="999"><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(50)}</table:table></office:text></office:body></office:document-content>`,
      ),
    },
    {
      name: 'protected.odt',
      bytes: zip({
        mimetype: 'application/vnd.oasis.opendocument.text',
        'META-INF/manifest.xml': '<manifest:manifest><manifest:encryption-data/></manifest:manifest>',
        'content.xml': 'xx',
      }),
    },
    {
      name: 'protected.epub',
      bytes: epub('<p>x</p>', {
        'META-INF/encryption.xml':
          '<encryption><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>',
      }),
    },
    {
      name: 'circular-styles.docx',
      bytes: docx(docxParagraph('text', 'A'), {
        'word/styles.xml':
          '<w:styles><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>',
      }),
    },
    {
      name: 'endless-numbers.docx',
      bytes: docx(
        `<w:p><w:pPr><w:numPr><w:ilvl w:val="99999999"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>`,
        {
          'word/numbering.xml':
            '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="99999999"><w:start w:val="1e300"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
        },
      ),
    },
  ];
}

function emptyDocx(): Record<string, string> {
  return {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
  };
}

function odf(content: string): Buffer {
  return zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content });
}

function ods(rows: string): Buffer {
  const content = `<office:document-content><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`;
  return zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': content });
}

function epub(chapter: string, parts: Record<string, string> = {}): Buffer {
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.xhtml': chapter,
    ...parts,
  });
}

/** Changes a field of every entry of the directory, at this place in it. */
function patched(archive: Buffer, change: (entry: Buffer) => void): Buffer {
  const copy = Buffer.from(archive);
  for (let at = copy.indexOf('PK\u0001\u0002'); at !== -1; at = copy.indexOf('PK\u0001\u0002', at + 4))
    change(copy.subarray(at));
  return copy;
}

function flagged(archive: Buffer, flags: number): Buffer {
  return patched(archive, (entry) => entry.writeUInt16LE(flags, 8));
}

function withMethod(archive: Buffer, method: number): Buffer {
  return patched(archive, (entry) => entry.writeUInt16LE(method, 10));
}

function withOffsets(archive: Buffer, offset: number): Buffer {
  return patched(archive, (entry) => entry.writeUInt32LE(offset, 42));
}
