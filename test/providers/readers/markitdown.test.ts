import { readFile } from 'node:fs/promises';
import test from 'ava';
import { z } from 'zod';
import { isMarkitdownInstalled } from '#providers/readers/external/markitdown-reader.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { docx, docxParagraph, pdf } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const Package = z.object({ dependencies: z.record(z.string(), z.string()) });
const MISSING = {
  code: 'reader_unavailable',
  message: /not installed\. Use the reader native, or .*npm install .*markitdown-ts@/,
};

test('MarkItDown is not installed by itself, and error and README name the same command that installs it', async (t) => {
  const { dependencies } = Package.parse(JSON.parse(await readFile('package.json', 'utf8')));
  t.false('markitdown-ts' in dependencies);
  const without = createReaderCatalogue({ hasUnstructured: false, hasMarkitdown: false });
  const error = t.throws(() => without.requireReadable('markitdown', 'application/pdf'), MISSING);
  const [command = 'none'] = /`npm install [^`]*`/.exec(error?.message ?? '') ?? [];
  t.true((await readFile('README.md', 'utf8')).includes(command), command);
});

test('the reader markitdown keeps its name and types where it is installed', (t) => {
  const installed = createReaderCatalogue({ hasUnstructured: false, hasMarkitdown: true });
  t.true(installed.names.includes('markitdown'));
  for (const type of ['application/pdf', 'text/html', 'text/csv'])
    t.notThrows(() => installed.requireReadable('markitdown', type));
  t.throws(() => installed.requireReadable('markitdown', 'image/png'), { code: 'type_mismatch' });
});

test('a document for MarkItDown is read by it where it is installed, and else names what is missing', async (t) => {
  const documents: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['a.pdf', pdf([[{ text: 'A sentence on a page.' }]]), /A sentence on a page\./],
    ['a.docx', docx(docxParagraph('A sentence in Word.')), /A sentence in Word\./],
    ['a.html', '<html><body><h1>Head</h1><p>Body</p></body></html>', /# Head\n\nBody/],
  ];
  for (const [name, bytes, expected] of documents) {
    const reading = readBytes(bytes, { name, reader: 'markitdown' });
    if (isMarkitdownInstalled()) t.regex((await reading).text, expected);
    else await t.throwsAsync(reading, MISSING);
  }
});
