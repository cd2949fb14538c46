import test from 'ava';
import { detectType, detectFileType } from '#providers/readers/detect-type.ts';
import { compoundFile } from '#test/support/fixtures/compound-file.ts';
import { docx, docxParagraph, pseudoRandomBytes, pdf, png, zip } from '#test/support/fixtures/documents.ts';
import { readBytes, withTemporaryFile } from '#test/support/fixtures/read-bytes.ts';
import { tiff } from '#test/support/fixtures/tiff.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF = pdf([[{ text: 'x' }]]);

const macroDocument = zip({
  '[Content_Types].xml':
    '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>',
  'word/document.xml': '<a/>',
});

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
  ['JSON called .csv', '{"a": [1, 2]}', 'a.csv', 'application/json', true],
  ['prose called .json', 'Dear all,\nnothing to see', 'a.json', 'text/plain', true],
  ['JSON with a comment', '// a\n{"a": 1}', 'a.json', 'application/json'],
  ['a table with tabs called .xls', 'a\tb\n1\t2\n', 'a.xls', 'text/tab-separated-values', true],
  ['a table with semicolons called .xlsx', 'a;b\n1;2\n', 'a.xlsx', 'text/csv', true],
  ['a page called .xls', '<html><table><tr><td>1', 'a.xls', 'text/html', true],
  ['RTF called .doc', '{\\rtf1 x}', 'a.doc', 'application/rtf', true],
  ['a script without extension', '#!/usr/bin/env -S python3 -u\nprint(1)', 'run', 'text/x-python'],
  ['a shell script without name', '#!/bin/sh\necho', '', 'text/x-shellscript'],
  ['PHP without a name', '<?php echo 1;', '', 'text/x-php'],
  ['an unknown interpreter', '#!/opt/x/frob\nx', '', 'text/plain'],
  ['a build file of its own name', 'project(x)', 'src/CMakeLists.txt', 'text/x-cmake'],
  ['a Word document with macros', macroDocument, 'a.docm', DOCX],
  ['a Word document called .pdf', docx(docxParagraph('x')), 'a.pdf', DOCX, true],
  ['text called .pdf', 'hello there', 'a.pdf', 'text/plain', true],
  ['Latin-1', Buffer.from('caf\xe9 cr\xe8me', 'latin1'), 'a.txt', 'text/plain'],
  ['one NUL in a text', `${'words '.repeat(50)}\0`, 'a.txt', 'text/plain'],
];

for (const [title, content, name, mediaType, isSurprise = false] of CASES) {
  test(`${title} is ${mediaType}`, async (t) => {
    const bytes = Buffer.from(content);
    const detected = await detectType(bytes, bytes.length, { name });
    t.is(detected.mediaType, mediaType);
    t.is(detected.notes['detected_type'], isSurprise ? mediaType : undefined);
    t.is(Object.keys(detected.notes).length, isSurprise ? 3 : 0);
    t.deepEqual(await withTemporaryFile(bytes, (path) => detectFileType(path, { name })), detected);
  });
}

test('detects a PDF document behind other bytes, up to 1,024, but not the source of one in a text', async (t) => {
  const document = pdf([[{ text: 'The report' }]]);
  const detect = async (prefix: string | Buffer, name: string) => {
    const bytes = Buffer.concat([Buffer.from(prefix), document]);
    return (await detectType(bytes, bytes.length, { name })).mediaType;
  };
  for (const name of ['a.pdf', '', 'download'])
    for (const prefix of [
      '\r\n\r\n',
      '\ufeff',
      'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n',
      ' '.repeat(1024),
    ])
      t.is(await detect(prefix, name), 'application/pdf', `${name} ${prefix.slice(0, 8)}`);
  t.is(await detect(Buffer.alloc(128), 'scan.pdf'), 'application/pdf');
  t.is(await detect(Buffer.alloc(128), 'scan.txt'), 'application/pdf', 'bytes that are no text');
  t.is(await detect(' '.repeat(1025), ''), 'text/plain');
  t.is(await detect('# How a PDF begins\n\n', 'notes.md'), 'text/markdown');
  t.is(await detect('From: a@example.com\nMIME-Version: 1.0\n\n', 'a.eml'), 'message/rfc822');
});

const LOGS: readonly (readonly [name: string, line: (index: number) => string])[] = [
  ['server.log', (index) => `[2024-01-01 10:00:${index % 60}] INFO request ${index} handled in 12 ms by worker`],
  ['_chat.txt', (index) => `[12/02/2024, 10:11:12] Anna: hello there number ${index}, how are you?`],
  ['dmesg.txt', (index) => `[    ${index}.000000] Linux version something and more of it`],
  ['references.txt', (index) => `[${index + 1}] Smith, J. et al. A paper about things. Journal ${index}.`],
];
for (const [name, line] of LOGS) {
  test(`a large ${name} whose lines begin with a bracket and a digit is text`, async (t) => {
    const text = Array.from({ length: 2000 }, (_, index) => line(index)).join('\n');
    t.true(text.length > 64 * 1024);
    const document = await readBytes(text, { name });
    t.is(document.mediaType, 'text/plain');
    t.is(document.text, text);
  });
}

test('large JSON is recognized by its beginning, wherever the sample ends', async (t) => {
  const record = { name: 'Anna \\ "quoted" \u{1f600}', numbers: [-1.5e3, 0, true, false, null], nested: [{}, []] };
  const text = JSON.stringify(Array.from({ length: 1000 }, () => record));
  for (let cut = 30_000; cut < 30_200; cut += 1) {
    const head = Buffer.from(text).subarray(0, cut);
    t.is((await detectType(head, text.length, { name: '' })).mediaType, 'application/json', `cut at ${cut}`);
  }
  const lines = `{"id":1}\n${text}`;
  t.is(
    (await detectType(Buffer.from(lines).subarray(0, 30_000), lines.length, { name: '' })).mediaType,
    'application/x-ndjson',
  );
});

test('text that is JSON only in the sample is read as text, unless it is named as JSON', async (t) => {
  const text = `[${'{"a": 1},\n'.repeat(8000)} and then prose`;
  t.is((await readBytes(text, { name: 'notes.txt' })).text, text);
  await t.throwsAsync(readBytes(text, { name: 'notes.json' }), { code: 'unreadable' });
  const lines = `${'{"level":"info"}\n'.repeat(8000)}Killed\n`;
  t.is((await readBytes(lines, { name: 'server.log' })).text, lines);
  await t.throwsAsync(readBytes(lines, { name: 'server.jsonl' }), { code: 'unreadable' });
});

test('uses the declared type only for text whose name suggests no type', async (t) => {
  const detect = async (content: string, name: string, declaredType: string) =>
    (await detectType(Buffer.from(content), content.length, { name, declaredType })).mediaType;
  t.is(await detect('<!doctype html><p>x', '/index.php', 'text/html; charset=utf-8'), 'text/html');
  t.is(await detect('<!doctype html><?php echo 1;', 'index.php', 'application/x-php'), 'text/x-php');
  t.is(await detect('# a', '', 'text/markdown; charset=utf-8'), 'text/markdown');
  t.is(await detect('# a', 'a.txt', 'text/markdown'), 'text/plain');
  t.is(await detect('plain', '', 'application/pdf'), 'text/plain');
});

test('rejects bytes that are neither text nor a known format with `unsupported_type` and the formats, whatever their name', async (t) => {
  const bytes = pseudoRandomBytes(5000);
  await t.throwsAsync(detectType(bytes, bytes.length, { name: 'a.txt' }), {
    code: 'unsupported_type',
    message: /Upload one of: PDF, .*OpenDocument, EPUB, .*e-mail.*source code\./,
  });
});

test('detects the type of repetitive, almost matching beginnings without backtracking', async (t) => {
  const detect = async (content: string) =>
    (await detectType(Buffer.from(content), content.length, { name: '' })).mediaType;
  t.is(await detect(`${'<!-- -->'.repeat(5_000)}<x`), 'text/plain');
  t.is(await detect(`${'<!-- -->'.repeat(5_000)}<html>`), 'text/html');
  t.is(await detect(`From: a@b.c\r\n${' folded\r\n'.repeat(5_000)}and no header`), 'text/plain');
  t.is(await detect(`From: a@b.c\r\n${' folded\r\n'.repeat(900)}MIME-Version: 1.0\r\n\r\ntext`), 'message/rfc822');
});

test('rejects an empty file with `empty_file`', async (t) => {
  await t.throwsAsync(detectType(Buffer.alloc(0), 0, { name: 'a.txt' }), { code: 'empty_file' });
});

test('detects a Word document whose first part is larger than the sample', async (t) => {
  const big = Buffer.from(pseudoRandomBytes(200_000));
  const bytes = zip({ 'docProps/thumbnail.jpeg': big, 'word/document.xml': '<a/>' });
  const onDisk = await withTemporaryFile(bytes, (path) => detectFileType(path, { name: 'a.zip' }));
  t.deepEqual(onDisk, {
    mediaType: DOCX,
    notes: {
      named_type: 'application/zip',
      detected_type: DOCX,
      type_note: 'The name says a ZIP archive; the content is a Word document and is read as that.',
    },
  });
  t.is((await detectType(bytes.subarray(0, 65_536), bytes.length, { name: 'a.docx' })).mediaType, DOCX);
});

test('detects UTF-8 text when the sample ends inside a character', async (t) => {
  const bytes = Buffer.from('ü'.repeat(100));
  t.is((await detectType(bytes.subarray(0, 101), 200, { name: '' })).mediaType, 'text/plain');
});

test('distinguishes binary and password-protected Office documents by their directory, wherever it is in the file', async (t) => {
  const kind = (entries: readonly string[], sectorsBefore = 0, name = 'a') =>
    withTemporaryFile(compoundFile(entries, sectorsBefore), (path) => detectFileType(path, { name }));
  t.is((await kind(['1Table', 'WordDocument'])).mediaType, 'application/msword');
  t.is((await kind(['a', 'b', 'c', 'd', 'e', 'f', 'WordDocument'], 100)).mediaType, 'application/msword');
  t.is((await kind(['Workbook'])).mediaType, 'application/vnd.ms-excel');
  t.is((await kind(['PowerPoint Document'])).mediaType, 'application/vnd.ms-powerpoint');
  t.is((await kind(['__nameid_version1.0', '__properties_version1.0'])).mediaType, 'application/vnd.ms-outlook');
  t.is((await kind(['EncryptionInfo', 'EncryptedPackage'])).mediaType, 'application/x-encrypted-office');
  t.is((await kind(['something'])).mediaType, 'application/x-cfb');
  const named = await kind(['Workbook'], 0, 'a.docx');
  t.is(named.notes['named_type'], DOCX);
  t.is(named.notes['detected_type'], 'application/vnd.ms-excel');
  const cut = compoundFile(['WordDocument'], 20).subarray(0, 3_000);
  t.is(
    (await withTemporaryFile(cut, (path) => detectFileType(path, { name: 'a.doc' }))).mediaType,
    'application/x-cfb',
  );
});

test('distinguishes a binary Excel workbook from others by its parts', async (t) => {
  const bytes = zip({ 'xl/workbook.bin': Buffer.alloc(10), 'xl/worksheets/sheet1.bin': Buffer.alloc(10) });
  for (const name of ['a.xlsb', 'a.xlsx', '']) {
    const { mediaType } = await withTemporaryFile(bytes, (path) => detectFileType(path, { name }));
    t.is(mediaType, 'application/vnd.ms-excel.sheet.binary.macroenabled.12', name);
  }
});

test('detects a TIFF image whose directory is behind the sample', async (t) => {
  const page = { width: 400, height: 400, pixels: Buffer.alloc(160_000, 255) };
  for (const isBigEndian of [false, true]) {
    const bytes = tiff([page], { isBigEndian, isDirectoryLast: true });
    t.is((await detectType(bytes.subarray(0, 65_536), bytes.length, { name: 'scan' })).mediaType, 'image/tiff');
  }
});
