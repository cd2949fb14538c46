import test from 'ava';
import { FORMATS, READER_NAMES, resolveReader } from '#providers/readers/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { CODE_TYPES } from '#providers/readers/shared/media-types.ts';

test('native reads every supported type, each with its own reader', (t) => {
  const expected: Record<string, string> = {
    ...Object.fromEntries(CODE_TYPES.map((type) => [type, 'text'])),
    'application/pdf': 'pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.oasis.opendocument.text': 'odf',
    'application/vnd.oasis.opendocument.spreadsheet': 'odf',
    'application/vnd.oasis.opendocument.presentation': 'odf',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.ms-excel.sheet.binary.macroenabled.12': 'xls',
    'application/msword': 'doc',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/epub+zip': 'epub',
    'application/rtf': 'rtf',
    'text/rtf': 'rtf',
    'application/zip': 'archive',
    'application/x-tar': 'archive',
    'application/gzip': 'archive',
    'image/png': 'image',
    'image/jpeg': 'image',
    'image/tiff': 'image',
    'image/webp': 'image',
    'image/bmp': 'image',
    'image/gif': 'image',
    'text/html': 'html',
    'text/csv': 'csv',
    'text/tab-separated-values': 'csv',
    'application/json': 'json',
    'application/x-ndjson': 'json',
    'application/x-ipynb+json': 'notebook',
    'text/x-rst': 'text_markup',
    'text/x-org': 'text_markup',
    'text/asciidoc': 'text_markup',
    'text/x-tex': 'text_markup',
    'application/docbook+xml': 'xml_document',
    'application/jats+xml': 'xml_document',
    'application/x-fictionbook+xml': 'xml_document',
    'text/x-opml': 'xml_document',
    'message/rfc822': 'email',
    'application/vnd.ms-outlook': 'email',
    'text/markdown': 'markdown',
    'text/plain': 'text',
    'text/x-python': 'text',
    'application/yaml': 'text',
  };
  for (const [mediaType, name] of Object.entries(expected)) t.is(resolveReader('native', mediaType).name, name);
  const patterns = FORMATS.flatMap(({ mediaTypes }) => mediaTypes);
  t.deepEqual(
    patterns.filter((type) => type !== 'text/*' && !(type in expected)),
    [],
    'is read by `native`: add it to `expected`, with the name of its reader',
  );
});

test('the readers of an Unstructured server accept any type', (t) => {
  for (const name of ['unstructured', 'unstructured_hi_res', 'unstructured_fast'])
    for (const type of ['application/pdf', 'audio/mpeg', 'text/plain'])
      t.is(resolveReader(name, type).name, 'unstructured');
});

test('a named reader accepts plain text', (t) => {
  for (const name of ['csv', 'json', 'markdown', 'text']) t.is(resolveReader(name, 'text/plain').name, name);
  for (const type of ['text/html', 'application/json', 'text/csv']) t.is(resolveReader('text', type).name, 'text');
});

test('rejects an unknown reader and lists the known ones', (t) => {
  const error = t.throws(() => resolveReader('tesseract', 'text/plain'), { code: 'unknown_reader' });
  for (const name of READER_NAMES) t.true(error?.message.includes(name));
});

test('rejects a reader that does not read the type, and names the type and its readers', (t) => {
  const error = t.throws(() => resolveReader('pdf', 'text/csv'), { code: 'type_mismatch' });
  t.is(
    error?.message,
    'The file is a CSV table, which reader "pdf" does not read. Use: native, markitdown, csv, text.',
  );
});

test('rejects a type that no reader reads with `unsupported_type`, with any reader', (t) => {
  for (const name of ['native', 'pdf'])
    t.throws(() => resolveReader(name, 'video/mp4'), { code: 'unsupported_type', message: /an MP4 video/ });
});

test('rejects old and password-protected formats with instructions', (t) => {
  const answers: readonly (readonly [mediaType: string, code: string, message: RegExp])[] = [
    [
      'application/x-cfb',
      'unsupported_type',
      /Save it as \.docx, \.xlsx or \.pptx.*unstructured if its server is configured/,
    ],
    ['application/x-encrypted-office', 'encrypted', /remove the password/],
  ];
  for (const [mediaType, code, message] of answers)
    for (const name of ['native', 'docx']) t.throws(() => resolveReader(name, mediaType), { code, message });
  t.is(resolveReader('unstructured', 'application/msword').name, 'unstructured');
  t.throws(() => resolveReader('unstructured', 'application/x-encrypted-office'), { code: 'encrypted' });
});

test('rejects a reader whose server is not configured, whatever the file', (t) => {
  const without = createReaderCatalogue({ hasUnstructured: false });
  for (const name of ['unstructured', 'unstructured_hi_res', 'unstructured_fast'])
    t.throws(() => without.requireReadable(name, 'application/pdf'), {
      code: 'reader_unavailable',
      message: /LOCI_UNSTRUCTURED_URL/,
    });
  t.notThrows(() => without.requireReadable('native', 'application/pdf'));
  t.notThrows(() => createReaderCatalogue({ hasUnstructured: true }).requireReadable('unstructured', 'audio/mpeg'));
});
