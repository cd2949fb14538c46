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
