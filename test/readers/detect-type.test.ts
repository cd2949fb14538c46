import test from 'ava';
import { detectType } from '../../providers/readers/detect-type.ts';
import { docx, docxParagraph, junk, pdf, png, zip } from '../support/documents.ts';
import { withFile } from '../support/read-bytes.ts';
import { detectFileType } from '../../providers/readers/detect-type.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF = pdf([[{ text: 'x' }]]);

const CASES: readonly (readonly [
  title: string,
  content: string | Buffer,
  name: string,
  mediaType: string,
  isSurprise?: boolean,
])[] = [
  ['a PDF', PDF, 'a.pdf', 'application/pdf'],
  ['a PDF called .txt', PDF, 'a.txt', 'application/pdf', true],
  ['a Word document', docx(docxParagraph('x')), 'a.docx', DOCX],
  ['an image called .pdf', png(), 'a.pdf', 'image/png', true],
  ['an archive', zip({ 'a.txt': 'a' }), 'a.zip', 'application/zip'],
  ['HTML without a name', '<!DOCTYPE html><p>x', '', 'text/html'],
  ['HTML called .txt', '<!-- c --><html><body>x', 'a.txt', 'text/html', true],
  ['JSON called .txt', '{"a": [1, 2]}', 'a.txt', 'application/json'],
  ['JSON lines without a name', '{"a":1}\n{"a":2}\n', '', 'application/x-ndjson'],
  ['a list that is a note', '[1]', '', 'text/plain'],
  ['prose in braces', '{hello} world', '', 'text/plain'],
  ['invalid JSON called .json', '{"a": ', 'a.json', 'application/json'],
  ['Markdown by its name', '# x', 'README.md', 'text/markdown'],
  ['a table by its name', 'a,b', 'a.CSV', 'text/csv'],
  ['tabs by name', 'a\tb', 'a.tsv', 'text/tab-separated-values'],
  ['source code by its name', '{"a": 1}', 'a.ts', 'text/x-typescript'],
  ['a Makefile', 'all:\n\techo', 'Makefile', 'text/x-makefile'],
  ['XML', '<?xml version="1.0"?><a/>', 'a.xml', 'application/xml'],
  ['prose that begins like a bitmap', 'BMW builds cars', 'a.txt', 'text/plain'],
  ['text called .pdf', 'hello there', 'a.pdf', 'text/plain', true],
  ['Latin-1', Buffer.from('caf\xe9 cr\xe8me', 'latin1'), 'a.txt', 'text/plain'],
  ['one NUL in a text', `${'words '.repeat(50)}\0`, 'a.txt', 'text/plain'],
];

for (const [title, content, name, mediaType, isSurprise = false] of CASES) {
  test(`${title} is ${mediaType}`, async (t) => {
    const bytes = Buffer.from(content);
    const detected = await detectType(bytes, bytes.length, { name });
    t.deepEqual(detected, { mediaType, notes: isSurprise ? { detected_type: mediaType } : {} });
    t.deepEqual(await withFile(bytes, (path) => detectFileType(path, { name })), detected);
  });
}

test('a declared type decides only for text without a telling name', async (t) => {
  const detect = async (content: string, name: string, declaredType: string) =>
    (await detectType(Buffer.from(content), content.length, { name, declaredType })).mediaType;
  t.is(await detect('# a', '', 'text/markdown; charset=utf-8'), 'text/markdown');
  t.is(await detect('# a', 'a.txt', 'text/markdown'), 'text/plain');
  t.is(await detect('plain', '', 'application/pdf'), 'text/plain');
});

test('bytes that are neither text nor a known format are unsupported, whatever their name', async (t) => {
  const bytes = junk(5000);
  await t.throwsAsync(detectType(bytes, bytes.length, { name: 'a.txt' }), { code: 'unsupported_type' });
});

test('a beginning that matches a format many times over, and then is none, is told at once', async (t) => {
  const detect = async (content: string) =>
    (await detectType(Buffer.from(content), content.length, { name: '' })).mediaType;
  t.is(await detect(`${'<!-- -->'.repeat(5_000)}<x`), 'text/plain');
  t.is(await detect(`${'<!-- -->'.repeat(5_000)}<html>`), 'text/html');
  t.is(await detect(`From: a@b.c\r\n${' folded\r\n'.repeat(5_000)}and no header`), 'text/plain');
  t.is(await detect(`From: a@b.c\r\n${' folded\r\n'.repeat(900)}MIME-Version: 1.0\r\n\r\ntext`), 'message/rfc822');
});

test('an empty file is told', async (t) => {
  await t.throwsAsync(detectType(Buffer.alloc(0), 0, { name: 'a.txt' }), { code: 'empty_file' });
});

test('a Word document is told in spite of a first part larger than the sample', async (t) => {
  const big = Buffer.from(junk(200_000));
  const bytes = zip({ 'docProps/thumbnail.jpeg': big, 'word/document.xml': '<a/>' });
  const onDisk = await withFile(bytes, (path) => detectFileType(path, { name: 'a.zip' }));
  t.deepEqual(onDisk, { mediaType: DOCX, notes: { detected_type: DOCX } });
  t.is((await detectType(bytes.subarray(0, 65_536), bytes.length, { name: 'a.docx' })).mediaType, DOCX);
});

test('UTF-8 that the sample cuts inside a character is text', async (t) => {
  const bytes = Buffer.from('ü'.repeat(100));
  t.is((await detectType(bytes.subarray(0, 101), 200, { name: '' })).mediaType, 'text/plain');
});
