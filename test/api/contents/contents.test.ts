import test from 'ava';
import { z } from 'zod';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { Content, ContentChunksResponse } from '#domain/records/content.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { formFor, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';

const ChunksPage = ContentChunksResponse.extend({
  next_cursor: z.string().nullable().optional(),
  has_more: z.boolean().optional(),
});

async function uploadText(api: ApiClient, text: string): Promise<{ collectionId: string; contentId: string }> {
  const { id } = await api.createCollection('c');
  const { uploads } = await api.upload(id, [['file', new File([text], 'text.txt')]]);
  return { collectionId: id, contentId: uploads[0]?.content_id ?? '' };
}

const longText = Array.from(
  { length: 400 },
  (_, index) => `Paragraph ${index} says something about number ${index}.`,
).join('\n\n');

test('the file of a content is returned unchanged, as an attachment', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const bytes = '<script>alert(1)</script>';
  const name = 'naïve "page".html';
  const { uploads } = await api.upload(id, [['file', new File([bytes], name, { type: 'text/html' })]]);
  const file = await api.send(`/contents/${uploads[0]?.content_id ?? ''}/file`);
  t.is(file.status, 200);
  t.is(await file.text(), bytes);
  t.is(file.headers.get('Content-Length'), String(bytes.length));
  t.is(file.headers.get('X-Content-Type-Options'), 'nosniff');
  t.is(file.headers.get('Content-Security-Policy'), "default-src 'none'; frame-ancestors 'none'");
  t.regex(file.headers.get('Content-Disposition') ?? '', /^attachment; filename="nai_?ve/);
});

test('the text of a content is Markdown that matches the offsets of its chunks, and can be read in parts', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const page =
    '<html><body><h1>Otters</h1><p>They hold hands \u{1f9a6} while asleep.</p><p>They eat fish.</p></body></html>';
  const { uploads } = await api.upload(id, [['file', new File([page], 'otters.html')]]);
  const contentId = uploads[0]?.content_id ?? '';
  const answer = await api.send(`/contents/${contentId}/text`);
  t.is(answer.status, 200);
  t.is(answer.headers.get('Content-Type'), 'text/markdown; charset=utf-8');
  const text = await answer.text();
  t.is(text, '# Otters\n\nThey hold hands \u{1f9a6} while asleep.\n\nThey eat fish.\n');
  const { chunks } = await api.get(`/contents/${contentId}/chunks?collection_id=${id}`, ContentChunksResponse);
  const Offsets = z.looseObject({ start: z.number(), end: z.number() });
  for (const { content, meta_data } of chunks) {
    const { start, end } = Offsets.parse(meta_data);
    t.is(text.slice(start, end), content);
  }
  const part = async (query: string) => (await api.send(`/contents/${contentId}/text?${query}`)).text();
  const otter = text.indexOf('\u{1f9a6}');
  t.is(await part(`offset=11&limit=15`), text.slice(11, 26));
  t.is(await part(`offset=${otter}`), text.slice(otter));
  t.is(await part(`limit=${otter + 1}`), text.slice(0, otter), 'half of a character is left out');
  t.is(await part(`offset=${otter + 1}&limit=2`), ' ');
  t.is(await part('offset=2147483647'), '');
  t.is((await api.send(`/contents/${contentId}/text?limit=0`)).status, 422);
  const stored = await api.upload(id, [
    ['ingest', 'false'],
    ['file', new File(['later'], 'later.txt')],
  ]);
  t.is((await api.send(`/contents/${stored.uploads[0]?.content_id ?? ''}/text`)).status, 409);
});

test('the chunks of a content are returned all at once, or in pages with the same result', async (t) => {
  const api = await freshClient();
  const { collectionId, contentId } = await uploadText(api, longText);
  const path = `/contents/${contentId}/chunks?collection_id=${collectionId}`;
  const whole = await api.get(path, ContentChunksResponse);
  t.like(whole, { content_id: contentId, collection_id: collectionId, includes_embeddings: false });
  t.true(whole.total_chunks > 5);
  t.is(whole.chunks.length, whole.total_chunks);
  t.true(whole.chunks.every(({ embedding, name }) => embedding === null && name === 'text.txt'));
  t.false('has_more' in (await api.get(path, z.record(z.string(), z.unknown()))));

  const paged: string[] = [];
  let cursor = '';
  for (;;) {
    const page: z.infer<typeof ChunksPage> = await api.get(`${path}&limit=3${cursor}`, ChunksPage);
    t.true(page.chunks.length <= 3);
    paged.push(...page.chunks.map(({ id }) => id));
    t.is(page.has_more, page.next_cursor !== null);
    if (page.has_more !== true) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  t.deepEqual(
    paged,
    whole.chunks.map(({ id }) => id),
  );
});

test('include_embeddings returns one unit vector per chunk', async (t) => {
  const api = await freshClient();
  const { collectionId, contentId } = await uploadText(api, 'A short text.');
  const path = `/contents/${contentId}/chunks?collection_id=${collectionId}&include_embeddings=true`;
  const { chunks, includes_embeddings } = await api.get(path, ContentChunksResponse);
  t.true(includes_embeddings);
  const vector = chunks[0]?.embedding ?? [];
  t.is(vector.length, 1024);
  t.true(Math.abs(Math.hypot(...vector) - 1) < 1e-3);
});

test('the chunks of a content require collection_id, and another collection answers 404', async (t) => {
  const api = await freshClient();
  const { contentId } = await uploadText(api, 'A short text.');
  const other = await api.createCollection('other');
  const missing = await api.fail(`/contents/${contentId}/chunks`);
  t.is(missing.status, 422);
  t.deepEqual(missing.problems, ['query.collection_id missing']);
  for (const id of [other.id, 'nonsense'])
    t.is((await api.fail(`/contents/${contentId}/chunks?collection_id=${id}`)).status, 404);
  const both = await api.fail(`/contents/${contentId}/chunks?include_embeddings=maybe&limit=0`);
  t.deepEqual(both.problems.sort(), [
    'query.collection_id missing',
    'query.include_embeddings invalid_value',
    'query.limit too_small',
  ]);
});

test('a deletion is accepted, removes the content and completes its receipt', async (t) => {
  const api = await freshClient();
  const { collectionId, contentId } = await uploadText(api, 'A sentence about walruses.');
  const search = { json: { query: 'walruses', collection_id: collectionId, search_type: 'keyword' } };
  t.is((await api.post('/collections/search', SearchResponse, search)).total_results, 1);
  const accepted = await api.get(`/contents/${contentId}`, DeletionAccepted, { method: 'DELETE', status: 202 });
  t.is((await api.post('/collections/search', SearchResponse, search)).total_results, 0);
  const receipt = await until(
    async () => api.get(`/deletions/${accepted.deletion_id}`, Deletion),
    ({ status }) => status === 'completed',
  );
  t.like(receipt, { kind: 'content', subject_id: contentId, removed: { contents: 1, chunks: 1 } });
  t.not(receipt.verified_at, null);
  t.is((await api.fail(`/contents/${contentId}`)).status, 404);
});

test('a content stored with ingest=false is ingested by /chunks/create', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const form = formFor(id, [
    ['content', 'Stored first.'],
    ['ingest', 'false'],
  ]);
  const { uploads } = await api.post('/upload', UploadResponse, { body: form, status: 202 });
  const contentId = uploads[0]?.content_id ?? '';
  t.like(await api.get(`/contents/${contentId}`, Content), { status: 'stored', sync_status: 'never' });
  const accepted = await api.post('/chunks/create', CreateChunksResponse, {
    json: { content_id: contentId },
    status: 202,
  });
  t.is(accepted.collection_id, id);
  const ready = await until(
    async () => api.get(`/contents/${contentId}`, Content),
    ({ status }) => status === 'ready',
  );
  t.is(ready.sync_status, 'synced');
  const unknown = await api.fail('/chunks/create', {
    method: 'POST',
    json: { content_id: contentId, reader: 'psychic', extra: 1 },
  });
  t.is(unknown.status, 422);
});

test('an action that does not fit the status of a content answers 409', async (t) => {
  const api = await freshClient();
  const { contentId } = await uploadText(api, 'Done already.');
  const answer = await api.fail(`/contents/${contentId}/resume`, { method: 'POST' });
  t.is(answer.status, 409);
  t.is(answer.code, 'conflict');
});

test('contents are filtered by collection, status and part of the name, and paged', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  await api.upload(
    id,
    Array.from({ length: 5 }, (_, index) => ['files', new File([`${index}`], `${index}.txt`)] as const),
  );
  const List = z.object({
    data: z.array(Content),
    total_count: z.int(),
    next_cursor: z.string().nullable(),
    has_more: z.boolean(),
  });
  const first = await api.get(`/contents?collection_id=${id}&status=ready&limit=3`, List);
  t.is(first.total_count, 5);
  const second = await api.get(`/contents?collection_id=${id}&status=ready&limit=3&cursor=${first.next_cursor}`, List);
  t.is(new Set([...first.data, ...second.data].map((content) => content.id)).size, 5);
  t.is((await api.get('/contents?status=failed', List)).total_count, 0);
  const named = await api.get('/contents?search=4.TXT', List);
  t.deepEqual([named.total_count, named.data.map(({ name }) => name)], [1, ['4.txt']]);
  t.is((await api.get('/contents?search=%25', List)).total_count, 0, 'the search text is not a pattern');
  const other = await api.fail(`/contents?status=failed&cursor=${first.next_cursor}`);
  t.is(other.status, 422, 'a cursor belongs to its filters');
});
