import test from 'ava';
import { READER_NAMES, resolveReader } from '../../providers/readers/index.ts';

test('native reads every supported type, each with its own reader', (t) => {
  const expected: Record<string, string> = {
    'application/pdf': 'pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'text/html': 'html',
    'text/csv': 'csv',
    'text/tab-separated-values': 'csv',
    'application/json': 'json',
    'application/x-ndjson': 'json',
    'text/markdown': 'markdown',
    'text/plain': 'text',
    'text/x-python': 'text',
    'application/yaml': 'text',
  };
  for (const [mediaType, name] of Object.entries(expected)) t.is(resolveReader('native', mediaType).name, name);
});

test('a named reader takes plain text that the user says is of its kind', (t) => {
  for (const name of ['csv', 'json', 'markdown', 'text']) t.is(resolveReader(name, 'text/plain').name, name);
  for (const type of ['text/html', 'application/json', 'text/csv']) t.is(resolveReader('text', type).name, 'text');
});

test('an unknown reader is answered with the known ones', (t) => {
  const error = t.throws(() => resolveReader('tesseract', 'text/plain'), { code: 'unknown_reader' });
  for (const name of READER_NAMES) t.true(error?.message.includes(name));
});

test('a reader that does not fit is answered with what the file is and who reads it', (t) => {
  const error = t.throws(() => resolveReader('pdf', 'text/csv'), { code: 'type_mismatch' });
  t.is(error?.message, 'The file is a CSV table, which reader "pdf" does not read. Use: native, csv, text.');
});

test('a type that nobody reads is unsupported, with any reader', (t) => {
  for (const name of ['native', 'pdf'])
    t.throws(() => resolveReader(name, 'image/png'), { code: 'unsupported_type', message: /a PNG image/ });
});
