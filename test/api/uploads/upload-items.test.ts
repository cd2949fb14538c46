import { createHash } from 'node:crypto';
import test from 'ava';
import { COLLECTION_ID, startUploadReceiver, uploadForm } from './upload-receiver.ts';

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');

test('files, text and URLs of one form are accepted in order, under every field name', async (t) => {
  await using receiver = await startUploadReceiver();
  const { status, body } = await receiver.post(
    uploadForm([
      ['file', new File(['one'], 'one.txt', { type: 'text/plain' })],
      ['files', new File(['two'], 'two.md')],
      ['files', new File(['three'], 'three.csv', { type: 'text/csv' })],
      ['files[]', new File(['four'], 'four.json')],
      ['content', 'direct text'],
      ['urls', 'https://example.org/a?token=secret'],
      ['urls', '["http://example.org/b", "https://example.org/c"]'],
    ]),
  );
  t.is(status, 200);
  t.deepEqual(
    body.items.map(({ source, name }) => `${source} ${name}`),
    [
      'file one.txt',
      'file two.md',
      'file three.csv',
      'file four.json',
      'text text',
      'url https://example.org/a',
      'url http://example.org/b',
      'url https://example.org/c',
    ],
  );
  t.is(body.items[5]?.url, 'https://example.org/a?token=secret');
  t.deepEqual(body.items[0]?.blob, { sha256: sha256('one'), sizeBytes: 3 });
  t.is(body.items[0]?.declaredType, 'text/plain');
  t.is(Buffer.from(body.items[4]?.head ?? '', 'base64').toString(), 'direct text');
  const hashes = body.items.slice(0, 5).map((item) => item.blob?.sha256);
  t.true(hashes.every((hash) => receiver.held.has(hash ?? '')));
  // Parts are stored at the same time, and end in any order.
  t.deepEqual(receiver.spooled.map((blob) => blob.sha256).toSorted(), hashes.map(String).toSorted());
});

test('fields after the file are read, and every field of the form is parsed', async (t) => {
  await using receiver = await startUploadReceiver();
  const form = new FormData();
  form.append('file', new File(['x'], 'x.txt'));
  for (const [name, value] of Object.entries({
    content_type: 'text',
    metadata: '{"lang":"en","deep":{"a":[1,2]}}',
    user_id: 'u1',
    label: 'a label',
    description: 'words',
    crawl: '0',
    ingest: 'FALSE',
    reader: 'markdown',
    on_duplicate: 'keep',
    collection_id: COLLECTION_ID,
  })) {
    form.append(name, value);
  }
  const { status, body } = await receiver.post(form);
  t.is(status, 200);
  t.deepEqual(body.form, {
    collection_id: COLLECTION_ID,
    content_type: 'text',
    metadata: { lang: 'en', deep: { a: [1, 2] } },
    user_id: 'u1',
    label: 'a label',
    description: 'words',
    crawl: false,
    max_depth: null,
    max_pages: null,
    ingest: false,
    items: [],
    reader: 'markdown',
    on_duplicate: 'keep',
    urls: [],
  });
});

test('empty fields and empty file inputs are ignored', async (t) => {
  await using receiver = await startUploadReceiver();
  const { status, body } = await receiver.post(
    uploadForm([
      ['file', new File([], '')],
      ['content', ''],
      ['urls', ''],
      ['label', ''],
      ['metadata', ''],
      ['ingest', ''],
      ['files', new File(['x'], 'x.txt')],
    ]),
  );
  t.is(status, 200);
  t.is(body.items.length, 1);
  t.deepEqual(body.errors, []);
  t.is(body.form?.['label'], null);
  t.is(body.form?.['ingest'], true);
});

test('empty files, oversized files and invalid URLs are reported in errors while the others are accepted', async (t) => {
  await using receiver = await startUploadReceiver({ maxFileBytes: 1000 });
  const { status, body } = await receiver.post(
    uploadForm([
      ['files', new File(['a'.repeat(1000)], 'just.txt')],
      ['files', new File([], 'empty.txt')],
      ['files', new File(['a'.repeat(1001)], 'large.txt')],
      ['files', new File(['fine'], 'fine.txt')],
      ['content', 'b'.repeat(1001)],
      ['urls', 'ftp://example.org/x'],
      ['urls', 'nonsense'],
      ['urls', 'https://me:hunter2@example.org/x'],
      ['urls', `https://example.org/${'x'.repeat(4096 - 20)}`],
      ['urls', `https://example.org/${'x'.repeat(4096 - 19)}`],
    ]),
  );
  t.is(status, 200);
  t.deepEqual(
    body.items.map(({ index, name }) => `${index} ${name}`),
    ['0 just.txt', '3 fine.txt', `8 https://example.org/${'x'.repeat(279)}…`],
  );
  t.deepEqual(
    body.errors.map(({ index, source, name, code }) => `${index} ${source} ${name} ${code}`),
    [
      '1 file empty.txt empty_file',
      '2 file large.txt file_too_large',
      '4 text text file_too_large',
      '5 url ftp://example.org/x invalid_url',
      '6 url (not a URL) invalid_url',
      '7 url https://example.org/x invalid_url',
      `9 url https://example.org/${'x'.repeat(279)}… invalid_url`,
    ],
  );
  t.false(receiver.held.has(sha256('a'.repeat(1001))));
  t.deepEqual(await receiver.temporaryFiles(), []);
});

test('a file of exactly the size limit is accepted, and one byte more is rejected', async (t) => {
  const limit = 300_000;
  await using receiver = await startUploadReceiver({ maxFileBytes: limit });
  for (const [sizeBytes, taken] of [
    [limit - 1, true],
    [limit, true],
    [limit + 1, false],
  ] as const) {
    const bytes = new Uint8Array(sizeBytes).fill(13);
    const { body } = await receiver.post(uploadForm([['file', new File([bytes], 'f.bin')]]));
    t.is(body.items.length === 1, taken, `${sizeBytes} bytes`);
    t.is(body.items[0]?.blob?.sha256, taken ? sha256(bytes) : undefined);
  }
});

test('items beyond the limit are reported one by one; more than twice the limit answers 413', async (t) => {
  const limit = 5;
  await using receiver = await startUploadReceiver({ maxRequestItems: limit });
  const upload = async (count: number) => {
    const files = Array.from(
      { length: count },
      (_, index) => ['files', new File([`${index}`], `${index}.txt`)] as const,
    );
    return receiver.post(uploadForm(files));
  };
  for (const count of [limit - 1, limit]) t.is((await upload(count)).body.items.length, count);
  const beyond = await upload(limit + 1);
  t.is(beyond.body.items.length, limit);
  t.deepEqual(
    beyond.body.errors.map(({ name, code }) => `${name} ${code}`),
    ['5.txt too_many_items'],
  );
  t.is((await upload(limit * 2)).body.errors.length, limit);
  const far = await upload(limit * 2 + 1);
  t.is(far.status, 413);
  t.is(far.body.code, 'payload_too_large');
  const urls = Array.from({ length: limit + 2 }, (_, index) => `https://example.org/${index}`);
  const mixed = await receiver.post(
    uploadForm([
      ['urls', JSON.stringify(urls)],
      ['content', 'text'],
    ]),
  );
  t.is(mixed.body.items.length, limit);
  t.is(mixed.body.errors.length, 3);
  for (const [count, status] of [
    [limit * 2 - 1, 200],
    [limit * 2, 413],
    [300_000, 413],
  ] as const) {
    const listed = JSON.stringify(Array.from({ length: count }, () => 'nonsense'));
    const { status: answered } = await receiver.post(
      uploadForm([
        ['urls', listed],
        ['content', 'text'],
      ]),
    );
    t.is(answered, status, `${count} URLs that are none, and a text`);
  }
});

test('binary files of many sizes are stored unchanged', async (t) => {
  await using receiver = await startUploadReceiver();
  const pattern = Buffer.from('\r\n--\r\n-\r--bound\r\n\0\xff\n\r', 'latin1');
  const files = [1, 2, 17, 65_535, 65_536, 65_537, 400_001].map((sizeBytes) => {
    const bytes = Buffer.alloc(sizeBytes);
    for (let at = 0; at < sizeBytes; at += 1) bytes[at] = pattern[(at * 7 + (at >> 9)) % pattern.length] ?? 0;
    return { bytes, file: new File([bytes], `${sizeBytes}.bin`) };
  });
  const { body } = await receiver.post(uploadForm(files.map(({ file }) => ['files', file] as const)));
  t.deepEqual(
    body.items.map((item) => item.blob?.sha256),
    files.map(({ bytes }) => sha256(bytes)),
  );
  t.is(Buffer.from(body.items.at(-1)?.head ?? '', 'base64').length, 64 * 1024);
});

test('the fingerprint of an upload depends on bytes, names, fields and the order of files only', async (t) => {
  await using receiver = await startUploadReceiver();
  const upload = async (entries: readonly (readonly [string, string | File])[]) =>
    (await receiver.post(uploadForm(entries))).body.fingerprint;
  const a = ['files', new File(['a'], 'a.txt')] as const;
  const b = ['files', new File(['b'], 'b.txt')] as const;
  const first = await upload([a, b, ['metadata', '{"x":1,"y":2}']]);
  t.is(await upload([['metadata', '{"y":2, "x":1}'], a, b]), first);
  const others = [
    await upload([b, a, ['metadata', '{"x":1,"y":2}']]),
    await upload([a, b, ['metadata', '{"x":1,"y":3}']]),
    await upload([a, ['files', new File(['c'], 'b.txt')], ['metadata', '{"x":1,"y":2}']]),
    await upload([a, ['files', new File(['b'], 'c.txt')], ['metadata', '{"x":1,"y":2}']]),
    await upload([a, b]),
  ];
  t.is(new Set([first, ...others]).size, 6);
});
