import test from 'ava';
import { docx, docxParagraph, pdf } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

test('MarkItDown reads documents of several types', async (t) => {
  const read = async (bytes: string | Buffer, name: string): Promise<string> =>
    (await readBytes(bytes, { name, reader: 'markitdown' })).text;
  t.regex(await read(pdf([[{ text: 'A sentence on a page.' }]]), 'a.pdf'), /A sentence on a page\./);
  t.regex(await read(docx(docxParagraph('A sentence in Word.')), 'a.docx'), /A sentence in Word\./);
  t.regex(await read('<html><body><h1>Head</h1><p>Body</p></body></html>', 'a.html'), /# Head\n\nBody/);
});

test('rejects what MarkItDown cannot convert with `unreadable` and suggests another reader', async (t) => {
  const cut = docx(docxParagraph('x'.repeat(5_000))).subarray(0, 300);
  await t.throwsAsync(readBytes(cut, { name: 'a.docx', reader: 'markitdown' }), { message: /native|ZIP/ });
  await t.throwsAsync(readBytes('%PDF-1.4 nothing', { name: 'a.pdf', reader: 'markitdown' }), {
    code: 'unreadable',
    message: /native/,
  });
});
