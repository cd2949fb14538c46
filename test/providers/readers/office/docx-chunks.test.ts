import test from 'ava';
import { docx, docxParagraph } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A Word document with these chunks between two paragraphs. */
function withChunks(chunks: Readonly<Record<string, string | Buffer>>): Buffer {
  const names = Object.keys(chunks);
  const references = names.map((_, index) => `<w:altChunk r:id="c${index}"/>`).join('');
  const relations = names.map(
    (name, index) => `<Relationship Id="c${index}" Type="${RELATIONS}/aFChunk" Target="/word/${name}"/>`,
  );
  return docx(`${docxParagraph('Before.')}${references}${docxParagraph('After.')}`, {
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`,
    ...Object.fromEntries(names.map((name) => [`word/${name}`, chunks[name] ?? ''])),
  });
}

async function textOf(chunks: Readonly<Record<string, string | Buffer>>): Promise<string> {
  return (await readBytes(withChunks(chunks), { name: 'a.docx' })).text.trim();
}

test('reads chunks of HTML, of web archives, RTF, Word and text where they stand in a Word document', async (t) => {
  const page = '<html><head><title>Page</title></head><body><h2>Prices</h2><p>Caf\u00e9 <b>bold</b><!-- open';
  const archive = [
    'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="x"\r\n',
    '--x\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n',
    '<ul><li>gr=C3=BCn</li></ul>',
    '--x--\r\n',
  ].join('\r\n');
  const chunks = {
    'a.html': page,
    'b.mht': archive,
    'c.rtf': '{\\rtf1\\ansi Rich {\\b text}.\\par}',
    'd.docx': withChunks({ 'e.txt': 'Inside.' }),
    'f.docx': 'PK\u0003\u0004 damaged',
  };
  t.is(
    await textOf(chunks),
    'Before.\n\n## Prices\n\nCaf\u00e9 **bold**\n\n- gr\u00fcn\n\nRich **text**.\n\nBefore.\n\nInside.\n\nAfter.\n\nAfter.',
  );
});

test('reads Word documents within one another up to a limit of depth and of size', async (t) => {
  let inner = withChunks({ 'a.txt': 'Deepest.' });
  for (let depth = 0; depth < 8; depth += 1) inner = withChunks({ 'a.docx': inner });
  t.false((await readBytes(inner, { name: 'a.docx' })).text.includes('Deepest.'));
  const large = withChunks({
    'a.txt': 'a'.repeat(300_000),
    'b.txt': 'b'.repeat(300_000),
    'c.txt': 'c'.repeat(300_000),
  });
  await t.throwsAsync(readBytes(large, { name: 'a.docx', maxTextBytes: 100_000 }), { code: 'read_output_limit' });
});

test('leaves out text that a run or a style hides', async (t) => {
  const run = (text: string, properties = ''): string => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const styles = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
    <w:style w:type="paragraph" w:styleId="Internal"><w:name w:val="Internal"/><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type="paragraph" w:styleId="Answer"><w:name w:val="Answer"/><w:basedOn w:val="Internal"/></w:style>
    <w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`;
  const body = [
    `<w:p>${run('Shown ')}${run('hidden ', '<w:vanish/>')}${run('also ', '<w:vanish w:val="0"/>')}${run('secret', '<w:rStyle w:val="Secret"/>')}</w:p>`,
    docxParagraph('whole', 'Internal'),
    `<w:p><w:pPr><w:pStyle w:val="Answer"/></w:pPr>${run('inherited')}${run('Both.', '<w:rStyle w:val="Secret"/>')}</w:p>`,
    `<w:p><w:hyperlink w:anchor="a">${run('link', '<w:vanish/>')}</w:hyperlink>${run('End.')}</w:p>`,
  ].join('');
  const { text } = await readBytes(docx(body, { 'word/styles.xml': styles }), { name: 'a.docx' });
  t.is(text.trim(), 'Shown also\n\nBoth.\n\nEnd.');
});
