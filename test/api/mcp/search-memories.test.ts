import test from 'ava';
import { z } from 'zod';
import { createKey } from '#test/support/harness/api-client.ts';
import { openMcpClient } from './mcp-client.ts';

const Memories = z.object({ memories: z.array(z.looseObject({ memory: z.string() })), note: z.string().nullable() });

test('a memory that is cut is said to be, and how many others did not fit beside it', async (t) => {
  const { key } = await createKey();
  const mcp = await openMcpClient(t, { headers: { Authorization: `Bearer ${key}` } });
  const long = 'Prefers tea of the first harvest. '.repeat(60);
  for (const memory of ['Walks to work.', 'Reads in the evening.', long]) {
    await mcp.call('add_memory', z.unknown(), { memory, user_id: 'ada' });
  }
  const newest = { user_id: 'ada', retrieval_method: 'last_n', max_tokens: 500 };
  const cut = await mcp.call('search_memories', Memories, newest);
  t.is(cut.memories.length, 1);
  const [shown] = cut.memories;
  t.true(shown !== undefined && shown.memory.length < long.trim().length && long.startsWith(shown.memory));
  t.regex(cut.note ?? '', /its end was left out\. 2 more memories did not fit: call again with a larger max_tokens/);
  t.regex((await mcp.call('search_memories', Memories, { ...newest, limit: 1 })).note ?? '', /its end was left out\.$/);
  const whole = await mcp.call('search_memories', Memories, { ...newest, max_tokens: 6000 });
  t.deepEqual([whole.memories.length, whole.note], [3, null]);
});
