import { createHash, randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { Message, MessageList } from '#domain/records/message.ts';
import { apiClient, createKey, freshClient, type ApiClient, type Sent } from '#test/support/harness/api-client.ts';

const post = (json: unknown, headers: Record<string, string> = {}): Sent => ({ method: 'POST', json, headers });
const say = (api: ApiClient, json: unknown) => api.post('/messages', z.array(Message), { json, status: 201 });
const contents = (messages: readonly Message[]) => messages.map(({ content }) => content);
const messagesOf = async (api: ApiClient, id: string, query = '') =>
  api.get(`/conversations/${id}/messages?${query}`, MessageList);

async function begin(api: ApiClient): Promise<string> {
  return (await api.post('/conversations', Conversation, { json: {}, status: 201 })).id;
}

test('a message returns all its fields, as sent or with defaults', async (t) => {
  const api = await freshClient();
  const conversation_id = await begin(api);
  const [plain] = await say(api, { conversation_id, content: { content: 'Hallo, wörld' } });
  t.like(plain, {
    conversation_id,
    content: 'Hallo, wörld',
    workspace_id: api.workspaceId,
    sender_id: null,
    role: 'user',
    message_type: 'text',
    tool_calls: [],
    tags: [],
    attachments: [],
    parent_message_id: null,
    meta_data: {},
    owner_id: null,
    checksum: createHash('sha256').update('Hallo, wörld', 'utf8').digest('hex'),
  });
  t.is(plain?.sent_at, plain?.created_at);
  const content = {
    content: 'all of it',
    sender_id: 'ada',
    created_at: '2020-02-03T04:05:06+01:00',
    role: 'assistant',
    message_type: 'image',
    tool_calls: [{ name: 'look', arguments: { deep: [1, null] } }],
    parent_message_id: plain?.id,
    tags: ['one', 'two'],
    meta_data: { key: 'value' },
    attachments: [{ url: 'https://example.com/a.png' }, {}],
  };
  const [full] = await say(api, { conversation_id, content });
  t.like(full, { ...content, created_at: '2020-02-03T03:05:06.000Z', sent_at: '2020-02-03T03:05:06.000Z' });
  t.deepEqual((await messagesOf(api, conversation_id)).data, [plain, full]);
});

test('content may be a text, a message or an array of both; the body may be an array of requests', async (t) => {
  const api = await freshClient();
  const conversation_id = await begin(api);
  const one = { content: 'as a message', role: 'system' };
  t.deepEqual(contents(await say(api, { conversation_id, content: 'as text' })), ['as text']);
  t.deepEqual(contents(await say(api, { conversation_id, content: one })), ['as a message']);
  t.deepEqual(contents(await say(api, { conversation_id, content: [one, 'and text'] })), ['as a message', 'and text']);
  const other = await begin(api);
  const many = await say(api, [
    { conversation_id: other, content: 'first' },
    { conversation_id, content: ['second', 'third'] },
    { conversation_id: other, content: { content: 'fourth' } },
  ]);
  t.deepEqual(contents(many), ['first', 'second', 'third', 'fourth']);
  t.deepEqual(contents((await messagesOf(api, other)).data), ['first', 'fourth']);
  t.is((await messagesOf(api, conversation_id)).total_count, 6);
});

test('without conversation_id one conversation is created for the request, titled by its first line', async (t) => {
  const api = await freshClient();
  const messages = await say(api, [
    { content: { content: 'How do bees sleep?\nAnd where?', sender_id: 'ada' } },
    { content: ['Yes.'] },
  ]);
  const [id, ...others] = new Set(messages.map(({ conversation_id }) => conversation_id));
  t.deepEqual(others, []);
  const conversation = await api.get(`/conversations/${id}`, Conversation);
  t.like(conversation, { title: 'How do bees sleep?', status: 'active', owner_id: 'ada' });
  t.is((await api.get('/conversations', ConversationList)).total_count, 1);
});

test('a reply names a parent in the same conversation, and the replies to a message are listed', async (t) => {
  const api = await freshClient();
  const conversation_id = await begin(api);
  const [question] = await say(api, { conversation_id, content: ['question', 'beside it'] });
  const answer = (content: string, parent?: string) => ({
    conversation_id,
    content: { content, parent_message_id: parent },
  });
  await say(api, [answer('one', question?.id), answer('two', question?.id)]);
  const thread = await messagesOf(api, conversation_id, `parent_message_id=${question?.id}`);
  t.deepEqual([contents(thread.data), thread.total_count], [['one', 'two'], 2]);
  const elsewhere = await begin(api);
  for (const parent_message_id of [randomUUID(), question?.id]) {
    const json = { conversation_id: elsewhere, content: ['kept out', { content: 'x', parent_message_id }] };
    const failure = await api.fail('/messages', post(json));
    t.deepEqual([failure.status, failure.code], [404, 'not_found']);
  }
  t.is((await messagesOf(api, elsewhere)).total_count, 0, 'all or nothing');
});

test('paging through messages keeps the order in which they were stored', async (t) => {
  const api = await freshClient();
  const conversation_id = await begin(api);
  const numbers = Array.from({ length: 7 }, (_, index) => `number ${index}`);
  const sent = numbers.map((content, index) => ({ content, created_at: `20${29 - index}-01-01T00:00:00Z` }));
  await say(api, { conversation_id, content: sent });
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: MessageList = await messagesOf(api, conversation_id, `limit=3${cursor && `&cursor=${cursor}`}`);
    t.is(page.total_count, 7);
    seen.push(...contents(page.data));
    cursor = page.next_cursor;
  }
  t.deepEqual(seen, numbers);
  const { next_cursor } = await messagesOf(api, conversation_id, 'limit=3');
  const foreign = await api.fail(`/conversations/${await begin(api)}/messages?cursor=${next_cursor}`);
  t.deepEqual(foreign.problems, ['query.cursor cursor_invalid']);
});

test('messages sent concurrently are each stored once, in a stable order', async (t) => {
  const api = await freshClient();
  const conversation_id = await begin(api);
  const numbers = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  await Promise.all(numbers.map((content) => say(api, { conversation_id, content })));
  const first = contents((await messagesOf(api, conversation_id)).data);
  t.deepEqual(first.toSorted(), numbers.toSorted());
  t.deepEqual(contents((await messagesOf(api, conversation_id)).data), first);
});

test('an unknown, ended or archived conversation rejects messages, and none of the request is stored', async (t) => {
  const api = await freshClient();
  const open = await begin(api);
  const closed = await begin(api);
  const send = (conversation_id: string) =>
    api.fail(
      '/messages',
      post([
        { conversation_id: open, content: 'x' },
        { conversation_id, content: 'y' },
      ]),
    );
  for (const id of [randomUUID(), 'nonsense', await begin(await freshClient())]) {
    const answer = await send(id);
    t.deepEqual([answer.status, answer.code], [404, 'not_found'], id);
  }
  for (const action of ['end', 'archive']) {
    await api.get(`/conversations/${closed}/${action}`, Conversation, { method: 'PATCH' });
    const answer = await send(closed);
    t.deepEqual([answer.status, answer.code], [409, 'conflict'], action);
  }
  t.is((await messagesOf(api, open)).total_count, 0);
});

test('every validation error of a message is reported with its location, in every form of the body', async (t) => {
  const api = await freshClient();
  const problems = async (json: unknown) => (await api.fail('/messages', post(json))).problems.sort();
  t.deepEqual(await problems({}), ['body.content missing']);
  t.deepEqual(await problems({ content: 7 }), ['body.content invalid_union']);
  t.deepEqual(await problems([]), ['body too_small']);
  t.deepEqual(await problems({ content: 'x', enable_memories: 'yes', more: 1 }), [
    'body.enable_memories invalid_type',
    'body.more unrecognized_keys',
  ]);
  const bad = { content: 5, role: '', tags: 'x', created_at: 'now', attachments: [1], extra: true };
  t.deepEqual(await problems({ content: bad }), [
    'body.content.attachments.0 invalid_type',
    'body.content.content invalid_type',
    'body.content.created_at invalid_format',
    'body.content.extra unrecognized_keys',
    'body.content.role too_small',
    'body.content.tags invalid_type',
  ]);
  t.deepEqual(await problems({ content: ['fine', { role: 'user' }] }), ['body.content.1.content missing']);
  t.deepEqual(await problems([{ content: 'fine' }, { content: { content: 'x', tool_calls: {} } }]), [
    'body.1.content.tool_calls invalid_type',
  ]);
});

test('a time without a zone is read as UTC', async (t) => {
  const api = await freshClient();
  const content = { content: 'x', created_at: '2026-03-01T09:30:00.25' };
  const [message] = await api.post('/messages', z.array(Message), { json: { content }, status: 201 });
  t.is(message?.created_at, '2026-03-01T09:30:00.250Z');
});

test('times from year 1 to 9999 in UTC are accepted', async (t) => {
  const api = await freshClient();
  for (const [created_at, status] of [
    ['0000-06-01T00:00:00Z', 422],
    ['0001-06-01T00:00:00+14:00', 201],
    ['9999-12-30T23:59:59.999-14:00', 201],
    ['9999-12-31T23:59:59-14:00', 422],
    ['9999-12-31T23:59:59.9999999Z', 201],
  ] as const) {
    t.is((await api.send('/messages', post({ content: { content: 'x', created_at } }))).status, status, created_at);
  }
});

test('limits of messages are enforced at their boundaries', async (t) => {
  const api = await freshClient();
  const status = async (json: unknown) => (await api.send('/messages', post(json))).status;
  t.is(await status({ content: 'x'.repeat(262_144) }), 201);
  t.is(await status({ content: 'x'.repeat(262_145) }), 422);
  const many = (length: number) => Array.from({ length }, () => 'x');
  t.is(await status({ content: many(999) }), 201);
  t.is(await status({ content: many(1000) }), 201);
  t.is(await status({ content: many(1001) }), 422);
  t.is(await status([{ content: many(600) }, { content: many(401) }]), 422);
  const conversation_id = await begin(api);
  for (const [limit, expected] of [
    [0, 422],
    [1, 200],
    [1000, 200],
    [1001, 422],
  ] as const) {
    t.is((await api.send(`/conversations/${conversation_id}/messages?limit=${limit}`)).status, expected);
  }
});

test('deleting a conversation deletes its messages', async (t) => {
  const api = await freshClient();
  const conversation_id = await begin(api);
  await say(api, { conversation_id, content: ['one', 'two'] });
  t.is((await api.send(`/conversations/${conversation_id}`, { method: 'DELETE' })).status, 204);
  t.is((await api.fail(`/conversations/${conversation_id}/messages`)).status, 404);
  t.is((await api.fail('/messages', post({ conversation_id, content: 'x' }))).status, 404);
});

test('the same Idempotency-Key stores messages once', async (t) => {
  const api = await freshClient();
  const sent = post({ content: ['one', 'two'] }, { 'Idempotency-Key': 'say-1' });
  const [first, again] = [await api.send('/messages', sent), await api.send('/messages', sent)];
  t.deepEqual([first.status, again.status], [201, 201]);
  t.is(await first.text(), await again.text());
  t.is((await api.get('/conversations', ConversationList)).total_count, 1);
});

test('enable_memories requires the permission memories:write', async (t) => {
  const { key } = await createKey({ permissions: ['messages:write'] });
  const api = apiClient(key);
  await say(api, { content: 'Only said.' });
  const refused = await api.fail('/messages', post({ content: 'To be remembered.', enable_memories: true }));
  t.is(refused.status, 403);
  t.regex(JSON.stringify(refused.body.detail), /memories:write/);
});
