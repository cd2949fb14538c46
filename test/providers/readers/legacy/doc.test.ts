import test from 'ava';
import { docFile } from '#test/support/fixtures/doc-file.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

test('reads headings, tables, notes and fields of a binary Word document', async (t) => {
  const bytes = docFile(
    [
      { text: 'Contract', style: 1 },
      { text: 'Größe: 5 “Zoll” — fünf, 日本.' },
      { text: 'Caf\u00e9 at the \u001fharbour, see \u0013 HYPERLINK "http://example.com" \u0014the site\u0015.' },
      { text: 'removed while tracked', isDeleted: true },
      { text: 'Prices', style: 2 },
      { text: 'Item', ends: 'cell' },
      { text: 'Price', ends: 'cell' },
      { text: '', ends: 'row' },
      { text: 'Bolt', isInTable: true },
      { text: 'and nut', ends: 'cell' },
      { text: '3', ends: 'cell' },
      { text: '', ends: 'row' },
      { text: 'The end.' },
    ],
    { footnotes: [{ text: '\u0002 A note.' }] },
  );
  const { text, mediaType } = await readBytes(bytes, { name: 'contract.doc' });
  t.is(mediaType, 'application/msword');
  t.is(
    text.trim(),
    '# Contract\n\nGröße: 5 “Zoll” — fünf, 日本.\n\nCafé at the harbour, see the site.\n\n## Prices\n\n' +
      '| Item | Price |\n| --- | --- |\n| Bolt and nut | 3 |\n\nThe end.\n\nA note.',
  );
});

test('rejects binary Word documents that are encrypted, older than Word 97 or damaged, with what to do', async (t) => {
  const body = [{ text: 'Words' }];
  await t.throwsAsync(readBytes(docFile(body, { flags: 0x0100 }), { name: 'a.doc' }), {
    code: 'encrypted',
    message: /password/,
  });
  await t.throwsAsync(readBytes(docFile(body, { version: 0x68 }), { name: 'a.doc' }), {
    code: 'unreadable',
    message: /Word 95.*\.docx/,
  });
  const bytes = docFile(body);
  for (let at = 0; at < bytes.length; at += 7) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    const outcome = await readBytes(damaged, { name: 'a.doc' }).catch((error: unknown) => error);
    t.true(
      outcome !== null && typeof outcome === 'object' && ('text' in outcome || 'code' in outcome),
      String(outcome),
    );
  }
});
