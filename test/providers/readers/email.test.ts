import test from 'ava';
import iconv from 'iconv-lite';
import { eml } from '#test/support/fixtures/eml.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const TEXT = 'Grüße aus Köln, und aus 東京.';
const message = eml({
  subject: 'Bericht',
  text: TEXT,
  attachments: [{ name: 'a.txt', type: 'text/plain', bytes: 'x' }],
});

test('reads messages in UTF-16 with and without a byte order mark, and in UTF-8 with one', async (t) => {
  const { text, notes } = await readBytes(message, { name: 'a.eml' });
  t.true(text.includes(TEXT));
  t.is(notes['title'], 'Bericht');
  for (const charset of ['utf-16le', 'utf-16be', 'utf-8'])
    for (const addBOM of [true, false]) {
      const found = await readBytes(iconv.encode(message, charset, { addBOM }), { name: 'a.eml' });
      t.is(found.mediaType, 'message/rfc822');
      t.deepEqual([found.text, found.notes], [text, notes], `${charset} ${addBOM}`);
    }
});

test('the charset of a part in a message in UTF-16 applies to its encoded text, not to its plain text', async (t) => {
  const plain = message.replace('charset=utf-8', 'charset="iso-8859-1"');
  const encoded = message
    .replace('Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable\r\n$&')
    .replace('charset=utf-8', 'charset=iso-8859-1')
    .replace(TEXT, 'Gr=FC=DFe');
  const read = async (source: string): Promise<string> =>
    (await readBytes(iconv.encode(source, 'utf-16le', { addBOM: true }), { name: 'a.eml' })).text;
  t.true((await read(plain)).includes(TEXT));
  t.true((await read(encoded)).includes('Grüße\n'));
});

test('reads the page of a message whose text only says that there is one', async (t) => {
  const parts = (text: string, html: string): string =>
    [
      'From: a@example.com\nTo: b@example.com\nSubject: Meeting\nMIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary=b\n',
      `--b\nContent-Type: text/plain\n\n${text}`,
      `--b\nContent-Type: text/html\n\n${html}`,
      '--b--\n',
    ].join('\n');
  const page = '<p>The meeting is moved to Friday at ten.</p><p>Please bring the figures of the budget.</p>';
  const notice = await readBytes(parts('Your mail program does not show HTML.', page), { name: 'a.eml' });
  t.true(notice.text.includes('moved to Friday at ten.\n\nPlease bring the figures'));
  const both = await readBytes(parts('Moved to Friday.\n-- \nAnn', '<p>Moved to Friday.</p>'), { name: 'a.eml' });
  t.true(both.text.includes('-- \nAnn'));
});

test('reads header lines and text whose encoding is not declared', async (t) => {
  const head = ['From: Jürgen Müller <j@example.com>', 'Subject: Grüße aus Köln'];
  const plain = [...head, '', 'Schöne Überraschung.', ''].join('\r\n');
  const parts = [
    ...head,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="=-x"',
    '',
    '--=-x',
    'Content-Type: text/plain; charset=iso-8859-1',
    '',
    'Schöne Überraschung.',
    '-- ä',
    '--=-x',
    'Content-Type: application/octet-stream; name="Übersicht.bin"',
    '',
    'äöü',
    '--=-x--',
    '',
  ].join('\n');
  for (const source of [plain, parts]) {
    const { text, notes } = await readBytes(iconv.encode(source, 'windows-1252'), { name: 'a.eml' });
    t.true(text.startsWith('# Grüße aus Köln\n\nFrom: Jürgen Müller <j@example.com>'));
    t.true(text.includes('Schöne Überraschung.'));
    t.is(notes['title'], 'Grüße aus Köln');
    if (source === parts) t.true(text.includes('-- ä\n') && text.includes('Attachments: Übersicht.bin'));
  }
  const declared = `From: a@example.com\nSubject: Отчёт\nContent-Type: text/plain; charset=koi8-r\n\nтекст\n`;
  const koi = await readBytes(iconv.encode(declared, 'koi8-r'), { name: 'a.eml' });
  t.is(koi.text, '# Отчёт\n\nFrom: a@example.com\n\nтекст\n');
  const text = 'Größen, Maße, Übergänge, Räume, Höfe, Wände'.repeat(3);
  const typed = Buffer.from(`Subject: a\nContent-Type: text/plain; charset=utf-8\n\n${text} é.\n`);
  const damaged = typed.fill(0xff, typed.length - 3, typed.length - 2);
  t.true((await readBytes(damaged, { name: 'a.eml' })).text.includes(text), 'damaged UTF-8 stays UTF-8');
});
