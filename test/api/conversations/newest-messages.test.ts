import test from 'ava';
import { z } from 'zod';
import { Message, MessageList } from '#domain/records/message.ts';
import { freshClient } from '#test/support/harness/api-client.ts';

const contents = (messages: readonly Message[]) => messages.map(({ content }) => content);

test('messages can be listed newest first, page by page', async (t) => {
  const api = await freshClient();
  const say = async (json: object) => api.post('/messages', z.array(Message), { json, status: 201 });
  const [one] = await say({ content: ['one', 'two', 'three'] });
  const path = `/conversations/${one?.conversation_id}/messages`;
  const page = async (query: string) => api.get(`${path}?${query}`, MessageList);
  const first = await page('order=newest_first&limit=2');
  t.deepEqual(contents(first.data), ['three', 'two']);
  await say({ conversation_id: one?.conversation_id, content: 'four' });
  const second = await page(`order=newest_first&limit=2&cursor=${first.next_cursor}`);
  t.deepEqual([contents(second.data), second.total_count, second.next_cursor], [['one'], 4, null]);
  const foreign = await api.fail(`${path}?cursor=${first.next_cursor}`);
  t.deepEqual(foreign.problems, ['query.cursor cursor_invalid']);
});
