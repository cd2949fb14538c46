import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { UploadProgress, UploadResponse } from '#domain/records/upload.ts';
import { UploadList } from '#domain/records/uploads/upload-list.ts';
import { apiClient, createKey, formFor, freshClient } from '#test/support/harness/api-client.ts';

const ContentList = z.object({
  data: z.array(Content),
  total_count: z.int(),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});

test('an upload answers 202 with an item for each input, and its contents become ready', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const accepted = await api.post('/upload', UploadResponse, {
    body: formFor(id, [
      ['file', new File(['# Title\n\nA line of Markdown.'], 'a.md', { type: 'text/markdown' })],
      ['content', 'Direct text.'],
    ]),
    status: 202,
  });
  t.like(accepted, {
    collection_id: id,
    content_type: 'file',
    total_uploads: 2,
    successful_uploads: 2,
    failed_uploads: 0,
    errors: [],
  });
  t.deepEqual(
    accepted.uploads.map(({ name, source, duplicate }) => `${source} ${name} ${duplicate}`),
    ['file a.md false', 'text text false'],
  );
  t.true(accepted.uploads.every(({ status }) => status === 'pending'));

  const again = await api.upload(id, [['content', 'Other text.']]);
  t.deepEqual(
    again.uploads.map(({ status }) => status),
    ['ready'],
  );
  const content = await api.get(`/contents/${again.uploads[0]?.content_id ?? ''}`, Content);
  t.like(content, { status: 'ready', sync_status: 'synced', collection_id: id, size: 11, type: 'text/plain' });
});

test('Preference-Applied is returned only if Prefer requests a wait', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const send = (headers: Record<string, string>, text: string) =>
    api.send('/upload', { method: 'POST', body: formFor(id, [['content', text]]), headers });
  t.is((await send({ Prefer: 'respond-async, wait=20' }, 'one')).headers.get('Preference-Applied'), 'wait=20');
  t.is((await send({ Prefer: 'wait=999' }, 'two')).headers.get('Preference-Applied'), 'wait=60');
  for (const prefer of ['', 'wait=soon', 'wait=0'])
    t.is((await send({ Prefer: prefer }, `three ${prefer}`)).headers.get('Preference-Applied'), null);
});

test('a rejected item is reported in errors while the others continue; if all are rejected the answer is 400', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const bad = ['files', new File([], 'empty.txt')] as const;
  const some = await api.upload(id, [bad, ['files', new File(['good'], 'good.txt')]]);
  t.like(some, { total_uploads: 2, successful_uploads: 1, failed_uploads: 1 });
  t.like(some.errors[0], { name: 'empty.txt', source: 'file', code: 'empty_file' });
  const none = await api.post('/upload', UploadResponse, {
    body: formFor(id, [bad, ['urls', 'nonsense']]),
    status: 400,
  });
  t.like(none, { upload_id: null, uploads: [], total_uploads: 2, successful_uploads: 0, failed_uploads: 2 });
});

test('an unknown collection answers 403, and an invalid form 400 with every validation error', async (t) => {
  const api = await freshClient();
  const absent = '0198c0de-0000-7000-8000-00000000000c';
  for (const collection of [absent, 'nonsense']) {
    const answer = await api.fail('/upload', { method: 'POST', body: formFor(collection, [['content', 'x']]) });
    t.is(answer.status, 403);
    t.is(answer.code, 'forbidden');
  }
  const { id } = await api.createCollection('c');
  const form = formFor(id, [
    ['content', 'x'],
    ['metadata', 'x'],
    ['unknown', 'x'],
    ['crawl', 'x'],
  ]);
  const answer = await api.fail('/upload', { method: 'POST', body: form });
  t.is(answer.status, 400);
  t.deepEqual(answer.problems.sort(), [
    'body.crawl invalid_type',
    'body.metadata json_invalid',
    'body.unknown unrecognized_keys',
  ]);
  const reader = await api.fail('/upload', {
    method: 'POST',
    body: formFor(id, [
      ['content', 'x'],
      ['reader', 'psychic'],
    ]),
  });
  t.is(reader.status, 400);
  t.true(reader.problems[0]?.startsWith('body.reader '));
});

test('the same bytes under the same name are one content, unless on_duplicate is keep', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const file = ['file', new File(['the same'], 'same.txt')] as const;
  const first = (await api.upload(id, [file])).uploads[0];
  const second = (await api.upload(id, [file])).uploads[0];
  t.is(second?.content_id, first?.content_id);
  t.true(second?.duplicate);
  const kept = (await api.upload(id, [file, ['on_duplicate', 'keep']])).uploads[0];
  t.not(kept?.content_id, first?.content_id);
  t.is((await api.get('/contents', ContentList)).total_count, 2);
});

test('an upload repeated with its Idempotency-Key takes effect once and gets the same response', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const headers = { 'Idempotency-Key': 'upload-1' };
  const send = (text: string) =>
    api.send('/upload', {
      method: 'POST',
      body: formFor(id, [
        ['content', text],
        ['on_duplicate', 'keep'],
      ]),
      headers,
    });
  const first = await send('once');
  const again = await send('once');
  t.is(again.status, 202);
  t.is(await again.text(), await first.text());
  t.is((await api.get('/contents', ContentList)).total_count, 1);
  t.is((await send('another')).status, 422);
});

test('an upload returns its progress and its contents in pages', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const files = Array.from(
    { length: 5 },
    (_, index) => ['files', new File([`text ${index}`], `${index}.txt`)] as const,
  );
  const { upload_id } = await api.upload(id, [...files, ['files', new File([], 'empty.txt')]]);
  const first = await api.get(`/uploads/${upload_id}?limit=3`, UploadProgress);
  t.like(first, { collection_id: id, total_uploads: 6, successful_uploads: 5, failed_uploads: 1, has_more: true });
  t.like(first.progress, { total: 5, settled: 5, percent: 100, by_status: { ready: 5 } });
  const second = await api.get(`/uploads/${upload_id}?limit=3&cursor=${first.next_cursor}`, UploadProgress);
  t.false(second.has_more);
  const none = await api.get(`/uploads/${upload_id}?content_status=failed`, UploadProgress);
  t.deepEqual([none.contents, none.has_more, none.progress.total], [[], false, 5]);
  const ready = await api.get(`/uploads/${upload_id}?content_status=ready`, UploadProgress);
  t.is(ready.contents.length, 5);
  t.is(new Set([...first.contents, ...second.contents].map(({ content_id }) => content_id)).size, 5);
});

test('uploads are listed newest first with what their own pages say, by status and collection, to those who reach them', async (t) => {
  const { key, workspaceId } = await createKey();
  const api = apiClient(key);
  const [one, other] = [await api.createCollection('one'), await api.createCollection('other')];
  const broken = new File([new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a])], 'broken.pdf');
  const ids = [
    (await api.upload(one.id, [['files', new File(['first'], 'first.txt')]])).upload_id,
    (await api.upload(other.id, [['files', broken]])).upload_id,
    (await api.upload(one.id, [...many(12), ['files', new File([], 'empty.txt')]])).upload_id,
  ].toReversed();
  const all = await api.get('/uploads', UploadList);
  t.deepEqual(
    all.data.map(({ id, name, status, crawls }) => [id, name, status, crawls]),
    [
      [ids[0], '0.txt', 'completed_with_errors', 0],
      [ids[1], 'broken.pdf', 'failed', 0],
      [ids[2], 'first.txt', 'completed', 0],
    ],
  );
  for (const { name: _name, crawls: _crawls, ...upload } of all.data)
    t.like(await api.get(`/uploads/${upload.id}`, UploadProgress), upload);

  const page = await api.get('/uploads?limit=2', UploadList);
  const rest = await api.get(`/uploads?limit=2&cursor=${page.next_cursor}`, UploadList);
  t.deepEqual(idsOf([...page.data, ...rest.data]), ids);
  t.false(rest.has_more);
  t.deepEqual(idsOf((await api.get('/uploads?status=failed&limit=1', UploadList)).data), [ids[1]]);
  t.deepEqual((await api.get('/uploads?status=paused', UploadList)).data, []);
  t.deepEqual(idsOf((await api.get(`/uploads?collection_id=${other.id}`, UploadList)).data), [ids[1]]);
  t.is((await api.fail(`/uploads?status=failed&cursor=${page.next_cursor}`)).status, 422);

  const limited = await createKey({ workspaceId, collections: [other.id] });
  t.deepEqual(idsOf((await apiClient(limited.key).get('/uploads', UploadList)).data), [ids[1]]);
  const both = apiClient((await createKey({ workspaceId, collections: [one.id, other.id] })).key);
  const newest = await both.get('/uploads?limit=2', UploadList);
  const oldest = await both.get(`/uploads?limit=2&cursor=${newest.next_cursor}`, UploadList);
  t.deepEqual([...idsOf(newest.data), '', ...idsOf(oldest.data)], [...ids.slice(0, 2), '', ...ids.slice(2)]);
  t.deepEqual((await (await freshClient()).get('/uploads', UploadList)).data, []);
});

function idsOf(uploads: readonly { id: string }[]): string[] {
  return uploads.map(({ id }) => id);
}

function many(count: number) {
  return Array.from({ length: count }, (_, at) => ['files', new File([`text ${at}`], `${at}.txt`)] as const);
}

test('a label names the only item, and metadata and description are stored', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const { uploads } = await api.upload(id, [
    ['content', 'text'],
    ['label', 'My note'],
    ['description', 'about it'],
    ['metadata', '{"lang":"en","external_id":"x-1"}'],
    ['user_id', 'u-7'],
  ]);
  const content = await api.get(`/contents/${uploads[0]?.content_id ?? ''}`, Content);
  t.like(content, { name: 'My note', description: 'about it', external_id: 'x-1' });
  t.like(content.metadata, { lang: 'en' });
  t.like(content.file_data, { uploaded_by: 'u-7' });
});
