import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { parseOutlook } from '#providers/readers/archives/parse-outlook.ts';
import { msgFile } from '#test/support/fixtures/msg.ts';
import { withTemporaryFile } from '#test/support/fixtures/read-bytes.ts';

const SUBJECT = '0037001F';
const BODY = '1000001F';
const MIB = 1024 * 1024;

const parse = (bytes: Uint8Array, maxTextBytes = MIB) =>
  withTemporaryFile(bytes, (path) => parseOutlook(path, maxTextBytes));

test('reads subject, addresses, date and text of an Outlook message', async (t) => {
  const bytes = msgFile({
    properties: {
      [SUBJECT]: 'Θερμά λουτρά',
      [BODY]: 'The baths open at noon.\r\n',
      '0C1A001F': 'Ada Byron',
      '5D01001F': 'ada@example.com',
      '0C1F001F': '/O=COMPANY/CN=ADA',
    },
    recipients: [
      { '3001001F': 'Bob', '39FE001F': 'bob@example.com' },
      { '3001001F': 'Cleo', '3003001F': '/O=COMPANY/CN=CLEO' },
    ],
  });
  const email = await parse(bytes);
  t.like(email, { subject: 'Θερμά λουτρά', text: 'The baths open at noon.\r\n', attachments: [] });
  t.deepEqual(email.from, { name: 'Ada Byron', address: 'ada@example.com' });
});

test('decodes texts that are not Unicode in the code page of the message', async (t) => {
  const bytes = msgFile({
    properties: { '0037001E': '\xd2\xe5\xf1\xf2', '1000001E': '\xcf\xf0\xe8\xe2\xe5\xf2' },
    numbers: { '3FFD0003': 1251 },
  });
  t.like(await parse(bytes), { subject: 'Тест', text: 'Привет' });
  const untold = msgFile({ properties: { '0037001E': 'Caf\xe9', '1000001E': '\x80 5' } });
  t.like(await parse(untold), { subject: 'Café', text: '€ 5' });
});

test('decodes an HTML body in the code page of the message', async (t) => {
  const bytes = msgFile({
    properties: { '10130102': Buffer.from('<p>caf\xc3\xa9</p>', 'latin1') },
    numbers: { '3FDE0003': 65_001 },
  });
  t.is((await parse(bytes)).html, '<p>café</p>');
});

test('reads an RTF body when there is no other, and rejects one that decompresses beyond the limit', async (t) => {
  const rtf = String.raw`{\rtf1\ansi The {\b harbour} is closed.}`;
  const header = Buffer.alloc(16);
  header.writeUInt32LE(rtf.length + 12, 0);
  header.writeUInt32LE(rtf.length, 4);
  header.write('MELA', 8, 'latin1');
  const compressed = Buffer.concat([header, Buffer.from(rtf)]);
  const { html = '' } = await parse(msgFile({ properties: { '10090102': compressed } }));
  t.regex(html.replace(/<[^>]*>/g, ''), /The harbour is closed\./);
  compressed.writeUInt32LE(0x7fff_ffff, 4);
  const error = await t.throwsAsync(parse(msgFile({ properties: { '10090102': compressed } })), {
    instanceOf: AppError,
  });
  t.is(error.code, 'read_output_limit');
});

test('returns attachments with names, types and bytes', async (t) => {
  const picture = Uint8Array.from({ length: 10_000 }, (_, at) => at % 251);
  const bytes = msgFile({
    properties: { [SUBJECT]: 'Pictures' },
    attachments: [
      { '3707001F': 'harbour plan.png', '370E001F': 'image/png', '37010102': picture },
      { '3707001F': 'elsewhere.txt' },
    ],
  });
  const [first, ...others] = (await parse(bytes)).attachments;
  t.like(first, { filename: 'harbour plan.png', mimeType: 'image/png' });
  t.deepEqual(Buffer.from(first?.content as Uint8Array), Buffer.from(picture)); // the parser gives bytes
  t.deepEqual(others, []);
});

test('rejects truncated and damaged messages with `unreadable`', async (t) => {
  const whole = msgFile({ properties: { [SUBJECT]: 'Whole', [BODY]: 'x'.repeat(50_000) } });
  for (const bytes of [whole.subarray(0, 700), whole.subarray(0, 512), Buffer.from('no message at all')]) {
    const error = await t.throwsAsync(parse(bytes), { instanceOf: AppError }, String(bytes.length));
    t.is(error.code, 'unreadable');
  }
});
