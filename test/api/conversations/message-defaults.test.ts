import test from 'ava';
import { z } from 'zod';
import { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { Message } from '#domain/records/message.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';

const say = (api: ApiClient, json: unknown) => api.post('/messages', z.array(Message), { json, status: 201 });

test('the first user among all messages without a conversation owns the new one, also behind a system message', async (t) => {
  const api = await freshClient();
  const [first, second] = await say(api, [
    { content: { content: 'Be brief.', role: 'system' } },
    { content: { content: 'Hello', sender_id: 'ada' } },
  ]);
  t.is(first?.conversation_id, second?.conversation_id);
  t.deepEqual([first?.owner_id, second?.owner_id], ['ada', 'ada']);
  t.like(await api.get(`/conversations/${first?.conversation_id}`, Conversation), {
    title: 'Be brief.',
    owner_id: 'ada',
  });
  t.is((await api.get('/conversations?user_id=ada', ConversationList)).total_count, 1);
});

test('a message may have been sent at any offset from UTC', async (t) => {
  const api = await freshClient();
  for (const [created_at, stored] of [
    ['2026-01-01T00:00:00+16:00', '2025-12-31T08:00:00.000Z'],
    ['2026-01-01T00:00:00-23:59', '2026-01-01T23:59:00.000Z'],
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
  ]) {
    const [message] = await say(api, { content: { content: 'x', created_at } });
    t.is(message?.created_at, stored);
  }
});

test('fields of a message beside its text are those of the message, alone and in an array', async (t) => {
  const api = await freshClient();
  const created_at = '2026-03-01T09:30:00.000Z';
  const fields = {
    sender_id: 'bob',
    role: 'assistant',
    message_type: 'note',
    created_at,
    tags: ['x'],
    meta_data: { a: 1 },
  };
  const [flat] = await say(api, { content: 'flat', ...fields, conversation_id: null, enable_memories: false });
  t.like(flat, { content: 'flat', ...fields, tool_calls: [], attachments: [] });

  const { conversation_id } = flat ?? {};
  const replies = await say(api, [
    { conversation_id, content: 'hi', sender_id: 'ada' },
    { conversation_id, content: 'ho', role: 'tool', parent_message_id: flat?.id, tool_calls: [{ id: 1 }] },
    { conversation_id, content: { content: 'inside', sender_id: 'eve' } },
  ]);
  t.like(replies[0], { conversation_id, sender_id: 'ada', role: 'user' });
  t.like(replies[1], { sender_id: null, role: 'tool', parent_message_id: flat?.id, tool_calls: [{ id: 1 }] });
  t.like(replies[2], { content: 'inside', sender_id: 'eve' });
});

test('wrong fields beside a text, and any beside message objects, are reported where they are', async (t) => {
  const api = await freshClient();
  const problems = async (json: unknown) => (await api.fail('/messages', { method: 'POST', json })).problems;
  t.deepEqual(await problems({ content: 'flat', sender_id: 'bob', role: '' }), ['body.role too_small']);
  t.deepEqual(await problems([{ content: 'x' }, { content: 'flat', tags: 'x' }]), ['body.1.tags invalid_type']);
  for (const content of [{ content: 'x' }, ['x']]) {
    t.deepEqual(await problems({ content, role: 'user', colour: 'red' }), [
      'body.colour unrecognized_keys',
      'body.role unrecognized_keys',
    ]);
    t.deepEqual(await problems({ content, role: 'user' }), ['body.role unrecognized_keys']);
  }
});

test('a content that is neither a text nor a message is answered with what to send', async (t) => {
  const api = await freshClient();
  const { body } = await api.fail('/messages', { method: 'POST', json: { content: null } });
  t.like(body.detail, { 0: { loc: ['body', 'content'], msg: 'Send a text, a message object, or an array of both' } });
});
