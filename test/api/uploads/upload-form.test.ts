import test from 'ava';
import { COLLECTION_ID, startUploadReceiver, uploadForm } from './upload-receiver.ts';

const file = ['file', new File(['x'], 'x.txt')] as const;

test('every validation error of a form is reported with its location', async (t) => {
  await using receiver = await startUploadReceiver();
  const form = new FormData();
  for (const [name, value] of [
    ['urls', '[not json'],
    ['content_type', 'picture'],
    ['metadata', '[1]'],
    ['label', 'l'.repeat(256)],
    ['crawl', 'yes'],
    ['ingest', '2'],
    ['max_pages', '-3'],
    ['max_depth', '1.5'],
    ['reader', 'one'],
    ['reader', 'two'],
    ['on_duplicate', 'drop'],
    ['colour', 'red'],
    ['Content', 'case counts'],
  ] as const) {
    form.append(name, value);
  }
  const { status, body } = await receiver.post(form);
  t.is(status, 400);
  t.true(Array.isArray(body.detail));
  const problems = (Array.isArray(body.detail) ? body.detail : []).map(({ loc, type }) => `${loc.join('.')} ${type}`);
  t.deepEqual(problems.sort(), [
    'body.Content unrecognized_keys',
    'body.collection_id missing',
    'body.colour unrecognized_keys',
    'body.content_type invalid_value',
    'body.crawl invalid_type',
    'body.ingest invalid_type',
    'body.label too_big',
    'body.max_depth invalid_type',
    'body.max_pages invalid_type',
    'body.metadata json_invalid',
    'body.on_duplicate invalid_value',
    'body.reader repeated',
    'body.urls json_invalid',
  ]);
});

test('errors that involve several fields are reported together', async (t) => {
  await using receiver = await startUploadReceiver();
  const { status, body } = await receiver.post(
    uploadForm([
      file,
      ['content', 'and a text'],
      ['content_type', 'picture'],
      ['crawl', 'true'],
      ['reader', 'crystal ball'],
      ['metadata', '{"external_id":"one for two"}'],
    ]),
  );
  t.is(status, 400);
  const problems = (Array.isArray(body.detail) ? body.detail : []).map(({ loc, type }) => `${loc.join('.')} ${type}`);
  t.deepEqual(problems.sort(), [
    'body.content_type invalid_value',
    'body.crawl missing_url',
    'body.metadata.external_id not_with_crawl',
    'body.metadata.external_id too_many_items',
    'body.reader unknown_reader',
  ]);
});

test('invalid crawl options are reported, and crawl options require a crawl', async (t) => {
  await using receiver = await startUploadReceiver({ maxCrawlPages: 50 });
  const url = ['urls', 'https://example.com/'] as const;
  const problemsOf = async (...entries: Parameters<typeof uploadForm>[0]) => {
    const { status, body } = await receiver.post(uploadForm(entries));
    if (status !== 400) return status;
    return (Array.isArray(body.detail) ? body.detail : []).map(({ loc, type }) => `${loc.join('.')} ${type}`).sort();
  };
  t.deepEqual(await problemsOf(file, ['crawl', 'true']), ['body.crawl missing_url']);
  t.deepEqual(
    await problemsOf(url, ['crawl', 'true'], ['max_pages', '51'], ['max_depth', '51'], ['on_duplicate', 'keep']),
    ['body.max_depth too_big', 'body.max_pages too_big', 'body.on_duplicate not_with_crawl'],
  );
  t.deepEqual(await problemsOf(url, ['crawl', 'true'], ['max_pages', '0']), ['body.max_pages too_small']);
  t.deepEqual(await problemsOf(url, ['max_pages', '5'], ['max_depth', '0']), [
    'body.max_depth without_crawl',
    'body.max_pages without_crawl',
  ]);
  t.is(await problemsOf(url, ['crawl', 'true'], ['max_pages', '50'], ['max_depth', '0']), 200);
});

test('metadata with a key __proto__ at any depth answers 400; similar keys are accepted', async (t) => {
  await using receiver = await startUploadReceiver();
  for (const metadata of ['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}']) {
    const { status, body } = await receiver.post(uploadForm([file, ['metadata', metadata]]));
    t.is(status, 400, metadata);
    t.like(body.detail, { 0: { loc: ['body', 'metadata'] } });
  }
  const { body } = await receiver.post(uploadForm([file, ['metadata', '{"constructor":{"prototype":1},"proto":2}']]));
  t.deepEqual(body.form?.['metadata'], { constructor: { prototype: 1 }, proto: 2 });
});

test('a form with nothing to upload answers 400', async (t) => {
  await using receiver = await startUploadReceiver();
  const { status, body } = await receiver.post(uploadForm([['label', 'nothing']]));
  t.is(status, 400);
  t.like(body.detail, { 0: { loc: ['body', 'file'], type: 'missing' } });
});

test('a malformed collection id answers 403 like an inaccessible collection', async (t) => {
  await using receiver = await startUploadReceiver();
  const form = new FormData();
  form.append('collection_id', 'nonsense');
  form.append(...file);
  const { status, body } = await receiver.post(form);
  t.is(status, 403);
  t.is(body.code, 'forbidden');
});

test('files received before a form turned out invalid are removed', async (t) => {
  await using receiver = await startUploadReceiver();
  const { status } = await receiver.post(uploadForm([file, ['metadata', 'no json']]));
  t.is(status, 400);
  t.is(receiver.spooled.length, 1);
  t.deepEqual(await receiver.temporaryFiles(), []);
});

test('metadata that cannot be stored answers 400', async (t) => {
  await using receiver = await startUploadReceiver();
  const deep = `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`;
  for (const metadata of ['{"a":"\\u0000"}', deep, JSON.stringify({ a: 'x'.repeat(70_000) })]) {
    const { status, body } = await receiver.post(uploadForm([file, ['metadata', metadata]]));
    t.is(status, 400);
    t.like(body.detail, { 0: { loc: ['body', 'metadata'] } });
  }
});

test('form fields that are too large together answer 413', async (t) => {
  await using receiver = await startUploadReceiver({ maxRequestBytes: 100_000_000 });
  const { status, body } = await receiver.post(uploadForm([file, ['description', 'd'.repeat(9 * 1024 * 1024)]]));
  t.is(status, 413);
  t.is(body.code, 'payload_too_large');
});

test('text in any script is preserved, and text that is not UTF-8 answers 400', async (t) => {
  await using receiver = await startUploadReceiver();
  const words = 'Überraschung – 東京 – 👩‍🔬 – عربى';
  const { body } = await receiver.post(uploadForm([file, ['description', words]]));
  t.is(body.form?.['description'], words);
  const form = new FormData();
  form.append('collection_id', COLLECTION_ID);
  form.append(...file);
  form.append('description', new Blob([new Uint8Array([0xff, 0xfe, 0x41])]));
  const refused = await receiver.post(form);
  t.is(refused.status, 400);
  t.like(refused.body.detail, { 0: { loc: ['body', 'description'], type: 'invalid_encoding' } });
});

test('a field may be sent as a blob with a content type and a file name', async (t) => {
  await using receiver = await startUploadReceiver();
  const form = uploadForm([file]);
  form.append('metadata', new Blob(['{"lang":"en"}'], { type: 'application/json' }));
  const { status, body } = await receiver.post(form);
  t.is(status, 200);
  t.deepEqual(body.form?.['metadata'], { lang: 'en' });
});

test('items name their own external_id and name, in the order of files, texts and URLs', async (t) => {
  await using receiver = await startUploadReceiver();
  const entries = [
    ['files', new File(['x'], 'same.txt')],
    ['files', new File([], 'same.txt')],
    ['content', 'a text'],
    ['urls', 'ftp://example.com/'],
    ['urls', 'https://example.com/'],
  ] as const;
  const own = [
    { external_id: 'one', name: 'a/same.txt' },
    { external_id: 'two', name: 'b/same.txt' },
    {},
    { external_id: 'four' },
    { external_id: 'five', name: 'Home' },
  ];
  const whole = await receiver.post(uploadForm([['items', JSON.stringify(own)], ...entries]));
  t.is(whole.status, 200, JSON.stringify(whole.body));
  t.deepEqual(
    whole.body.items.map((item) => item.own),
    [own[0], own[2], own[4]],
  );
  t.deepEqual(
    whole.body.errors.map(({ name, external_id }) => [name, external_id]),
    [
      ['b/same.txt', 'two'],
      ['ftp://example.com/', 'four'],
    ],
  );
  const repeated = own.map((one) => ['items', JSON.stringify(one)] as const);
  const single = await receiver.post(uploadForm([...entries, ...repeated]));
  t.deepEqual(single.body.items, whole.body.items, 'the field may be repeated, and come last');
  const others = await receiver.post(uploadForm([...entries, ['items', JSON.stringify(own.with(2, own[4] ?? {}))]]));
  t.is(others.status, 400);
});

test('items that are repeated, too long, of a wrong number or of a wrong form are reported exactly', async (t) => {
  await using receiver = await startUploadReceiver();
  const other = ['files', new File(['y'], 'y.txt')] as const;
  const problemsOf = async (items: unknown, ...more: Parameters<typeof uploadForm>[0]) => {
    const text = typeof items === 'string' ? items : JSON.stringify(items);
    const { status, body } = await receiver.post(uploadForm([file, other, ['items', text], ...more]));
    if (status !== 400) return [String(status)];
    return (Array.isArray(body.detail) ? body.detail : []).map(
      ({ loc, msg, type }) => `${loc.join('.')} ${type} ${msg}`,
    );
  };
  const id = (external_id: string) => ({ external_id });
  t.deepEqual(await problemsOf([id('a'), id('b')]), ['200']);
  t.deepEqual(await problemsOf([id('a'), id('a')]), [
    'body.items.1.external_id repeated is the one of item 0, too; each item needs its own',
  ]);
  t.deepEqual(await problemsOf([id('a'.repeat(255)), {}]), ['200']);
  t.regex((await problemsOf([{}, id('a'.repeat(256))])).join(), /^body\.items\.1\.external_id too_big .*255/);
  t.regex((await problemsOf([id(''), {}])).join(), /^body\.items\.0\.external_id too_small/);
  t.regex((await problemsOf([{ external_id: 7 }, {}])).join(), /^body\.items\.0\.external_id invalid_type/);
  t.regex((await problemsOf([{ colour: 'red' }, {}])).join(), /^body\.items\.0\.colour unrecognized_keys/);
  t.regex((await problemsOf([id('a')])).join(), /^body\.items wrong_count .*1 objects and 2 items/);
  t.regex((await problemsOf('[not json')).join(), /^body\.items json_invalid/);
  t.regex(
    (await problemsOf([id('a'), {}], ['metadata', '{"external_id":"m"}'])).join('\n'),
    /^body\.items conflicting/,
  );
  const crawl = [
    ['urls', 'https://example.com/'],
    ['crawl', 'true'],
  ] as const;
  t.regex((await problemsOf([id('a'), {}, {}], ...crawl)).join(), /^body\.items not_with_crawl/);
  const many = Array.from({ length: 40 }, () =>
    Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`k${key}`, 1])),
  );
  t.true((await problemsOf(many)).length <= 21, 'the list of problems is bounded');
  const { status } = await receiver.post(uploadForm([file, ['items', JSON.stringify(Array(41).fill(1))]]));
  t.is(status, 413);
});
