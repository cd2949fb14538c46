import test from 'ava';
import { Content } from '#domain/records/content.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { formFor, freshClient } from '#test/support/harness/api-client.ts';

const NOT_INGESTED = ['ingest', 'false'] as const;

test('a URL that cannot be crawled is an error of its own, and the file beside it is accepted', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const crawl = [NOT_INGESTED, ['crawl', 'true'], ['urls', 'ftp://example.com/a']] as const;
  const body = formFor(id, [...crawl, ['file', new File(['kept'], 'kept.txt')]]);
  const answer = await api.post('/upload', UploadResponse, { body, status: 202 });
  t.deepEqual(
    [answer.uploads.map(({ name }) => name), answer.errors.map(({ source, code }) => `${source} ${code}`)],
    [['kept.txt'], ['url invalid_url']],
  );
  const alone = await api.post('/upload', UploadResponse, { body: formFor(id, crawl), status: 400 });
  t.deepEqual([alone.uploads, alone.errors.map(({ code }) => code)], [[], ['invalid_url']]);
  const none = await api.fail('/upload', {
    method: 'POST',
    body: formFor(id, [
      ['crawl', 'true'],
      ['content', 'text'],
    ]),
  });
  t.deepEqual([none.status, none.problems], [400, ['body.crawl missing_url']]);
});

test('label names a single item, and is metadata of several, whatever becomes of the others', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const upload = async (...files: readonly File[]) => {
    const entries = files.map((file) => ['files', file] as const);
    const body = formFor(id, [NOT_INGESTED, ['label', 'L'], ...entries]);
    const { uploads } = await api.post('/upload', UploadResponse, { body, status: 202 });
    const { name, metadata } = await api.get(`/contents/${uploads[0]?.content_id}`, Content);
    return { name, label: metadata['label'] };
  };
  const empty = new File([], 'empty.txt');
  t.deepEqual(await upload(new File(['one'], 'one.txt')), { name: 'L', label: undefined });
  t.deepEqual(await upload(new File(['two'], 'two.txt'), empty), { name: 'two.txt', label: 'L' });
});

test('several URLs in one value are refused with how to send them', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const send = (...urls: string[]) => {
    const body = formFor(id, [NOT_INGESTED, ...urls.map((url) => ['urls', url] as const), ['content', 'a text']]);
    return api.post('/upload', UploadResponse, { body, status: 202 });
  };
  const lines = [
    'https://example.com/a?token=secret\nhttps://example.com/b',
    'https://example.com/c\thttps://example.com/d',
  ];
  const { errors } = await send(...lines, JSON.stringify(['https://example.com/e\r\nhttps://example.com/f']));
  t.deepEqual(
    errors.map(({ code, name }) => `${code} ${name}`),
    ['a', 'c', 'e'].map((path) => `invalid_url https://example.com/${path}`),
  );
  t.regex(errors[0]?.message ?? '', /one URL per field, or a JSON array/);
  t.deepEqual((await send(' https://example.com/g\n', '["https://example.com/h\\n"]')).errors, []);
});
