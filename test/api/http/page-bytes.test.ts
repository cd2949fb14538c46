import test from 'ava';
import { z } from 'zod';
import { ApiKey, ApiKeyList } from '#domain/records/api-key.ts';
import { Collection } from '#domain/records/collection.ts';
import { Content } from '#domain/records/content.ts';
import { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { Message, MessageList } from '#domain/records/message.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { MAX_PAGE_BYTES } from '#store/page.ts';
import { formFor, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const Contents = z.object({ data: z.array(Content), next_cursor: z.string().nullable(), has_more: z.boolean() });

/** Follows the cursors of a list. Returns the ids in order, and the bytes of the largest page. */
async function walk<List extends { data: { id: string }[]; next_cursor: string | null; has_more: boolean }>(
  api: ApiClient,
  path: string,
  schema: z.ZodType<List>,
) {
  const ids: string[] = [];
  let pages = 0;
  let largest = 0;
  for (let cursor = ''; ;) {
    const list: List = await api.get(`${path}${cursor}`, schema);
    ids.push(...list.data.map(({ id }) => id));
    pages += 1;
    largest = Math.max(largest, JSON.stringify(list.data).length);
    if (!list.has_more) return { ids, pages, largest };
    cursor = `&cursor=${encodeURIComponent(list.next_cursor ?? '')}`;
  }
}

test('a page of messages ends when its texts are large, and the cursor continues behind it', async (t) => {
  const api = await freshClient();
  const { id } = await api.post('/conversations', Conversation, { json: {}, status: 201 });
  const written: string[] = [];
  const large = 'ä'.repeat(100_000);
  for (let batch = 0; batch < 8; batch += 1) {
    const content = Array.from({ length: 4 }, (_, number) => ({ content: `${batch}.${number} ${large}` }));
    const messages = await api.post('/messages', z.array(Message), {
      json: { conversation_id: id, content },
      status: 201,
    });
    written.push(...messages.map((message) => message.id));
  }
  const { ids, pages, largest } = await walk(api, `/conversations/${id}/messages?limit=400`, MessageList);
  t.deepEqual(ids, written);
  t.is(pages, 6);
  t.true(largest < MAX_PAGE_BYTES + 300_000, `${largest} bytes`);
  const one = await api.get(`/conversations/${id}/messages?limit=1`, MessageList);
  t.like(one, { has_more: true, total_count: 32 });
});

test('a page of contents ends when their metadata is large, and the cursor continues behind it', async (t) => {
  const api = await freshClient();
  const collection = await api.post('/collections', Collection, { json: { name: 'large' }, status: 201 });
  const body = formFor(collection.id, [
    ['ingest', 'false'],
    ['metadata', JSON.stringify({ note: 'x'.repeat(60_000) })],
    ...Array.from({ length: 150 }, (_, number) => ['files', new File([`text ${number}`], `${number}.txt`)] as const),
  ]);
  const upload = await api.post('/upload', UploadResponse, { body, status: 202 });
  const written = upload.uploads.map(({ content_id: id }) => id);
  t.is(written.length, 150);
  for (const path of ['/contents?limit=1000', `/contents?limit=1000&collection_id=${collection.id}`]) {
    const { ids, pages, largest } = await walk(api, path, Contents);
    t.deepEqual(ids, written);
    t.is(pages, 9);
    t.true(largest < MAX_PAGE_BYTES + 100_000, `${largest} bytes`);
  }
});

test('a page of API keys ends when they list many addresses, and only the cursor continues behind it', async (t) => {
  const api = await freshClient();
  const written = (await api.get('/api-keys', ApiKeyList)).data.map(({ id }) => id);
  const address = '2001:0db8:0000:0000:0000:0000:0000:0001/128';
  const json = { permissions: ['collections:read'], ip_whitelist: Array.from({ length: 1000 }, () => address) };
  for (let number = 0; number < 40; number += 1) {
    written.push((await api.post('/api-keys', ApiKey, { json, status: 201 })).id);
  }
  const { ids, pages, largest } = await walk(api, '/api-keys?limit=1000', ApiKeyList);
  t.deepEqual(ids, written);
  t.is(pages, 2);
  t.true(largest < MAX_PAGE_BYTES + 100_000, `${largest} bytes`);
  t.like(await api.get('/api-keys?limit=1000', ApiKeyList), { has_more: true, next_page: null, total_count: 41 });
  for (const start of ['skip=0', 'page=1']) {
    const refused = await api.fail(`/api-keys?limit=1000&${start}`);
    t.deepEqual([refused.status, ...refused.problems], [422, 'query.limit too_big'], start);
  }
  t.is((await api.get('/api-keys?limit=20&skip=21', ApiKeyList)).data.length, 20);
});

test('a page of conversations, which has no cursor, is complete however large it is', async (t) => {
  const api = await freshClient();
  const written: string[] = [];
  const note = 'x'.repeat(60_000);
  for (let number = 0; number < 90; number += 1) {
    const json = { title: `number ${number}`, meta_data: { note } };
    written.unshift((await api.post('/conversations', Conversation, { json, status: 201 })).id);
  }
  const whole = await api.get('/conversations?limit=1000', ConversationList);
  t.deepEqual(
    whole.data.map(({ id }) => id),
    written,
  );
  t.is(whole.total_count, 90);
  const part = await api.get('/conversations?limit=80&skip=5', ConversationList);
  t.deepEqual(
    part.data.map(({ id }) => id),
    written.slice(5, 85),
  );
  t.is(part.total_count, 90);
});
