import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import test from 'ava';
import {
  COLLECTION_ID,
  RAW_COLLECTION,
  RAW_END,
  rawPart,
  rawUpload,
  startUploadReceiver,
  uploadForm,
} from './upload-receiver.ts';

const FILE_TYPE = 'Content-Type: text/plain';

test('file names in every encoding lose their paths and control characters', async (t) => {
  await using receiver = await startUploadReceiver({ maxRequestItems: 50 });
  const cases: [string, string][] = [
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\\\Users\\\\me\\\\report.pdf"', 'report.pdf'],
    ['filename="C:\\Users\\me\\report.pdf"', 'report.pdf'],
    ['filename="/"', 'file'],
    ['filename=".."', 'file'],
    ['filename="   "', 'file'],
    ['filename="a\u0001\u007fb.txt"', 'ab.txt'],
    ['filename="evil\u202efdp.exe"', 'evilfdp.exe'],
    ['filename="say %22hi%22.txt"', 'say "hi".txt'],
    ['filename="say \\"hi\\".txt"', 'say "hi".txt'],
    ['filename="東京 Überraschung.md"', '東京 Überraschung.md'],
    ['filename=plain.txt', 'plain.txt'],
    ['filename="x.txt"; filename*=UTF-8\'\'na%C3%AFve%20%E2%82%AC.txt', 'naïve €.txt'],
    ["filename*=iso-8859-1'en'%A3%20rates.txt", '£ rates.txt'],
    ["filename*=UTF-8''..%2F..%2Fup.txt", 'up.txt'],
    ['filename*0*=UTF-8\'\'first%20; filename*1="second.txt"', 'first second.txt'],
    [`filename="${'n'.repeat(400)}.pdf"`, `${'n'.repeat(251)}.pdf`],
    [`filename="${'東'.repeat(200)}.pdf"`, `${'東'.repeat(83)}.pdf`],
  ];
  const parts = cases.map(([disposition]) => rawPart(`name="files"; ${disposition}`, 'x', FILE_TYPE));
  const { status, body } = await receiver.raw([rawUpload(RAW_COLLECTION + parts.join('') + RAW_END)]);
  t.is(status, 200);
  t.deepEqual(
    body.items.map(({ name }) => name),
    cases.map(([, name]) => name),
  );
});

test('a file name split across two packets is decoded correctly', async (t) => {
  await using receiver = await startUploadReceiver();
  const bytes = rawUpload(RAW_COLLECTION + rawPart('name="file"; filename="東京.txt"', 'x', FILE_TYPE) + RAW_END);
  const cut = bytes.indexOf('東') + 1;
  const { body } = await receiver.raw([bytes.subarray(0, cut), bytes.subarray(cut)]);
  t.deepEqual(
    body.items.map(({ name }) => name),
    ['東京.txt'],
  );
});

test('a file part without a content type is a file with no declared type', async (t) => {
  await using receiver = await startUploadReceiver();
  const { body } = await receiver.raw([
    rawUpload(RAW_COLLECTION + rawPart('name="file"; filename="a.bin"', 'bytes') + RAW_END),
  ]);
  t.like(body.items[0], { name: 'a.bin', declaredType: null, blob: { sizeBytes: 5 } });
});

const malformed: Record<string, Buffer> = {
  'without a boundary': rawUpload(RAW_COLLECTION + RAW_END, { contentType: 'multipart/form-data' }),
  'with another boundary than it says': rawUpload(RAW_COLLECTION + RAW_END, { boundary: 'other' }),
  'that ends in the middle of a part': rawUpload(
    RAW_COLLECTION + rawPart('name="file"; filename="a"', 'half', FILE_TYPE).slice(0, -4),
  ),
  'that ends in the middle of a header': rawUpload(`${RAW_COLLECTION}--b\r\nContent-Dispos`),
  'whose part has no name': rawUpload(`${RAW_COLLECTION}--b\r\nContent-Type: text/plain\r\n\r\nx\r\n${RAW_END}`),
  'whose part is encoded again': rawUpload(
    RAW_COLLECTION +
      rawPart('name="file"; filename="a"', 'eA==', FILE_TYPE, 'Content-Transfer-Encoding: base64') +
      RAW_END,
  ),
  'with an unknown transfer encoding': rawUpload(
    RAW_COLLECTION + rawPart('name="label"', 'x', 'Content-Transfer-Encoding: x-unknown') + RAW_END,
  ),
  'with an endless part header': rawUpload(
    `${RAW_COLLECTION}--b\r\nX-Long: ${'h'.repeat(40_000)}\r\n\r\nx\r\n${RAW_END}`,
  ),
  'with garbage for headers': rawUpload(`${RAW_COLLECTION}--b\r\n: : :\0\r\n\r\nx\r\n${RAW_END}`),
};

for (const [how, bytes] of Object.entries(malformed)) {
  test(`a form ${how} is a 400, and the next request works`, async (t) => {
    await using receiver = await startUploadReceiver();
    const { status, body } = await receiver.raw([bytes]);
    t.is(status, 400);
    t.is(body.code, 'invalid_request');
    t.deepEqual(await receiver.temporaryFiles(), []);
    t.is((await receiver.post(uploadForm([['content', 'fine']]))).status, 200);
  });
}

test('parts with transfer encoding 7bit or 8bit are accepted unchanged', async (t) => {
  await using receiver = await startUploadReceiver();
  const { status, body } = await receiver.raw([
    rawUpload(
      RAW_COLLECTION +
        rawPart('name="label"', 'ä', 'Content-Transfer-Encoding: 8bit') +
        rawPart('name="file"; filename="a"', 'x', 'Content-Transfer-Encoding: 7bit') +
        RAW_END,
    ),
  ]);
  t.is(status, 200);
  t.is(body.form?.['label'], 'ä');
  t.is(body.items.length, 1);
});

test('a content type other than multipart/form-data answers 415', async (t) => {
  await using receiver = await startUploadReceiver();
  for (const contentType of ['application/json', 'application/x-www-form-urlencoded', 'multipart/mixed; boundary=b']) {
    const { status, body } = await receiver.raw([rawUpload('{}', { contentType })]);
    t.is(status, 415, contentType);
    t.is(body.code, 'unsupported_media_type');
  }
});

test('a request over the byte limit answers 413, with or without Content-Length, and leaves no files', async (t) => {
  const limit = 200_000;
  await using receiver = await startUploadReceiver({ maxRequestBytes: limit });
  const content = (sizeBytes: number) =>
    RAW_COLLECTION + rawPart('name="file"; filename="a"', 'x'.repeat(sizeBytes), FILE_TYPE) + RAW_END;
  const overhead = content(0).length;
  for (const [sizeBytes, expected] of [
    [limit - 1, 200],
    [limit, 200],
    [limit + 1, 413],
  ] as const) {
    const body = content(sizeBytes - overhead);
    t.is((await receiver.raw([rawUpload(body)])).status, expected, `${sizeBytes} bytes announced`);
    const head =
      'POST /upload HTTP/1.1\r\nHost: loci\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n';
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    t.is((await receiver.raw([chunked])).status, expected, `${sizeBytes} bytes unannounced`);
  }
  t.deepEqual(await receiver.temporaryFiles(), []);
});

test('a client that disconnects midway leaves no file, neither of complete nor of partial parts', async (t) => {
  await using receiver = await startUploadReceiver({ maxFileBytes: 5_000_000 });
  const whole = rawPart('name="files"; filename="whole"', 'whole', FILE_TYPE);
  const half = rawPart('name="files"; filename="half"', 'y'.repeat(2_000_000), FILE_TYPE);
  const bytes = rawUpload(RAW_COLLECTION + whole + half + RAW_END);
  const ended = receiver.nextEnd();
  const socket = connect(receiver.port, '127.0.0.1');
  await new Promise<void>((resolve) => socket.write(bytes.subarray(0, 1_000_000), () => resolve()));
  while ((await receiver.temporaryFiles()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  await ended;
  t.deepEqual(await receiver.temporaryFiles(), []);
  t.deepEqual(
    receiver.spooled.map(({ sizeBytes }) => sizeBytes),
    [5],
  );
  t.is((await receiver.post(uploadForm([['content', 'fine']]))).status, 200);
});

test('Expect: 100-continue is answered with 100 only if the body will be accepted', async (t) => {
  await using receiver = await startUploadReceiver({ maxRequestBytes: 1000 });
  const ask = (length: number) =>
    `POST /upload HTTP/1.1\r\nHost: loci\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`;
  const refused = await receiver.raw([ask(1001)]);
  t.is(refused.status, 413);
  const body = RAW_COLLECTION + rawPart('name="content"', 'text') + RAW_END;
  const socket = connect(receiver.port, '127.0.0.1');
  const answers: string[] = [];
  socket.setEncoding('utf8').on('data', (text: string) => {
    answers.push(text);
    if (text.includes('100 Continue')) socket.write(body);
  });
  socket.write(ask(Buffer.byteLength(body)));
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  t.regex(answers.join(''), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  t.true(answers.join('').includes(COLLECTION_ID));
});

test('a thousand files are accepted, and more than 20,000 fields answer 413', async (t) => {
  await using receiver = await startUploadReceiver({ maxRequestItems: 1000 });
  const files = Array.from({ length: 1000 }, (_, index) =>
    rawPart(`name="files"; filename="${index}.txt"`, `${index}`, FILE_TYPE),
  );
  const taken = await receiver.raw([rawUpload(RAW_COLLECTION + files.join('') + RAW_END)]);
  t.is(taken.body.items.length, 1000);
  t.is(new Set(taken.body.items.map((item) => item.blob?.sha256)).size, 1000);
  const fields = rawPart('name="x"', '').repeat(20_001);
  t.is((await receiver.raw([rawUpload(RAW_COLLECTION + fields + RAW_END)])).status, 413);
});

test('the names of fields count toward the size limit of the fields', async (t) => {
  await using receiver = await startUploadReceiver({ maxRequestBytes: 50_000_000 });
  const fields = (count: number) => rawPart(`name="${'n'.repeat(10_000)}"`, '').repeat(count);
  const allowed = Math.floor((8 * 1024 * 1024 - 1_000) / 10_000);
  t.is((await receiver.raw([rawUpload(RAW_COLLECTION + fields(allowed) + RAW_END)])).status, 400);
  t.is((await receiver.raw([rawUpload(RAW_COLLECTION + fields(allowed + 2) + RAW_END)])).status, 413);
});

test('a failing blob store answers 500 for small and large files, and the next request works', async (t) => {
  await using receiver = await startUploadReceiver({ maxFileBytes: 5_000_000 });
  // A file in the place of the folder makes every write fail.
  await rm(receiver.dir, { recursive: true });
  await writeFile(receiver.dir, '');
  for (const sizeBytes of [1, 4_000_000]) {
    const file = new File([new Uint8Array(sizeBytes)], 'a.bin');
    const { status, body } = await receiver.post(
      uploadForm([
        ['files', file],
        ['files', file],
      ]),
    );
    t.is(status, 500);
    t.is(body.code, 'internal');
  }
  await rm(receiver.dir);
  t.is((await receiver.post(uploadForm([['content', 'fine']]))).status, 200);
});
