import test from 'ava';
import { z } from 'zod';
import { Conversation } from '#domain/records/conversation.ts';
import { MemoryList, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { Message } from '#domain/records/message.ts';
import { query } from '#store/postgres.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { openInsides } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';

const say = (api: ApiClient, json: unknown) => api.post('/messages', z.array(Message), { json, status: 201 });
const conversationOf = (api: ApiClient, id: string) => api.get(`/conversations/${id}`, Conversation);

test('a conversation gets a summary of its own sentences, and a new one when it grows', async (t) => {
  const api = await freshClient();
  const [first] = await say(api, {
    content: ['The boiler in the cellar leaks water.', 'A plumber looks at the boiler on Monday.'],
  });
  const id = first?.conversation_id ?? '';
  const early = await until(
    () => conversationOf(api, id),
    ({ summary }) => summary !== null,
  );
  t.is(early.summary, 'The boiler in the cellar leaks water. A plumber looks at the boiler on Monday.');
  await say(api, { conversation_id: id, content: ['The plumber repaired the boiler.', 'It cost ninety euros.'] });
  const late = await until(
    () => conversationOf(api, id),
    ({ summary }) => summary !== early.summary,
  );
  t.regex(late.summary ?? '', /The plumber repaired the boiler\./);
});

test('a short conversation is summarised when it ends', async (t) => {
  const api = await freshClient();
  const [only] = await say(api, { content: 'Please water the ferns.' });
  const id = only?.conversation_id ?? '';
  t.is((await conversationOf(api, id)).summary, null);
  await api.get(`/conversations/${id}/end`, Conversation, { method: 'PATCH' });
  const ended = await until(
    () => conversationOf(api, id),
    ({ summary }) => summary !== null,
  );
  t.is(ended.summary, 'Please water the ferns.');
});

test('with enable_memories, user messages become searchable memories, and no work remains', async (t) => {
  const api = await freshClient();
  const { database } = openInsides(t);
  const [first] = await say(api, {
    enable_memories: true,
    content: [
      { content: 'I keep two goats.', sender_id: 'ada' },
      { content: 'How nice!', role: 'assistant' },
      { content: 'They are called Salt and Pepper.', sender_id: 'ada' },
    ],
  });
  await say(api, { conversation_id: first?.conversation_id, content: { content: 'Forget this.', sender_id: 'ada' } });
  const { data } = await until(
    () => api.get('/memories?user_id=ada', MemoryList),
    // Memories that are added meanwhile may be counted, and not be listed yet.
    (found) => found.data.length === 2 && found.total_count === 2,
  );
  t.deepEqual(
    data.map(({ memory }) => memory),
    ['I keep two goats.', 'They are called Salt and Pepper.'],
  );
  t.like(data[0], { memory_type: 'user', metadata: { message_id: first?.id } });
  const json = { query: 'goats', user_id: 'ada', retrieval_method: 'keyword' };
  const found = await until(
    () => api.post('/memories/search', SearchMemoriesResponse, { json }),
    ({ total_results }) => total_results > 0,
  );
  t.is(found.memories[0]?.memory, 'I keep two goats.');
  const open = () =>
    query(database, 'select 1 from outbox where workspace_id = :workspaceId', { workspaceId: api.workspaceId });
  t.deepEqual(await until(open, (rows) => rows.length === 0), []);
});
